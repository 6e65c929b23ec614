"""
Writes the prices of service tiers (flex, batch, priority, fast) from the Python package `genai-prices` (MIT), which has
them; the npm package from which the other defaults are generated does not. Run it in an environment with that package and
review the diff like code, then run `npm run prices:update`:

    python3 -m venv /tmp/prices && /tmp/prices/bin/pip install genai-prices==0.2.3
    /tmp/prices/bin/python scripts/service-tier-prices.py
"""

import importlib.metadata
import json
import pathlib
from decimal import Decimal

from genai_prices.data import providers
from genai_prices.types import ModelPrice, TieredPrices

PACKAGE = "genai-prices"
DATE = "2026-11-10"  # the package does not carry its own date: `pip index versions` and the index's upload time
SOURCES = ("openai", "anthropic", "google", "x-ai", "mistral")
FILE = pathlib.Path(__file__).parent / "../server/services/pricing/catalogue/service-tiers.generated.json"


def number(value: Decimal):
    return int(value) if value == value.to_integral_value() else float(value)


def price(value):
    if isinstance(value, TieredPrices):
        return {
            "base": number(value.base),
            "tiers": [{"start": tier.start, "price": number(tier.price)} for tier in value.tiers],
        }
    return number(value)


def prices(model_price: ModelPrice):
    return {key: price(value) for key, value in vars(model_price).items() if value is not None and key[0] != "_"}


def start(constraint):
    return constraint.start_date.isoformat() if constraint else None


def tier_of(when: dict):
    """Returns the tier's name; None for the standard one and for routes and kinds of search, which are no tiers."""
    ((key, value),) = when.items()
    return value if key in ("service_tier", "processing", "speed") and value not in ("default", "standard") else None


def standard_of(model):
    if isinstance(model.prices, list):
        return [{"from": start(dated.constraint), "prices": prices(dated.prices)} for dated in model.prices]
    return [{"from": None, "prices": prices(model.prices)}]


models = {}
for provider in providers:
    if provider.id not in SOURCES:
        continue
    for model in provider.models:
        tiers = {}
        for variant in model.price_variants or []:
            if name := tier_of(variant.when):
                tiers.setdefault(name, []).append(
                    {"from": start(variant.constraint), "prices": prices(variant.prices)}
                )
        if tiers:
            models[f"{provider.id}:{model.id}"] = {"standard": standard_of(model), "tiers": tiers}

source = {"package": PACKAGE, "version": importlib.metadata.version(PACKAGE), "date": DATE}
lines = ",\n".join(f"  {json.dumps(name)}:{json.dumps(models[name], separators=(',', ':'))}" for name in sorted(models))
FILE.resolve().write_text(f'{{"source":{json.dumps(source)},"models":{{\n{lines}\n}}}}\n')
print(f"{len(models)} models with service tiers from {PACKAGE} {source['version']}")
