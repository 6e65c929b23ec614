"""Calls a deployment with OpenAI's own client, configured only with a base URL and a key, and prints the results."""

import json
import os

from openai import OpenAI

client = OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["API_KEY"], max_retries=0)
MESSAGES = [{"role": "user", "content": "Say hello"}]

whole = client.chat.completions.create(model="shop-agent", messages=MESSAGES)
stream = client.chat.completions.create(
    model="shop-agent", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
)
pieces, streamed_tokens = [], None
for chunk in stream:
    if chunk.usage is not None:
        streamed_tokens = chunk.usage.total_tokens
    for choice in chunk.choices:
        if choice.delta.content is not None:
            pieces.append(choice.delta.content)

print(
    json.dumps(
        {
            "models": [model.id for model in client.models.list()],
            "whole": whole.choices[0].message.content,
            "whole_tokens": whole.usage.total_tokens if whole.usage else None,
            "pieces": pieces,
            "streamed_tokens": streamed_tokens,
        }
    )
)
