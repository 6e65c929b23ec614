"""The routes of the contract, by subject."""
