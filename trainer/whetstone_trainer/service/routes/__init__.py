"""The routes of the contract, by what they are about."""
