"""A session of an agent through the SDK for Python: it searches, remembers, searches
again, forgets, lists and reads. Usage: session.py URL|COMMAND [ARGUMENT...]"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters


async def main(target: str, args: list[str]) -> None:
    http = target.startswith("http")
    server = target if http else StdioServerParameters(command=target, args=args, env=dict(os.environ))
    async with Client(server) as client:

        async def call(name: str, arguments: dict) -> dict:
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, f"{name}: {answer.content}"
            return answer.structured_content

        fact = f"The staging server is called {'kestrel' if http else 'merlin'}"
        assert len((await client.list_tools()).tools) == 5
        assert (await call("memory_search", {"query": "who pays for the taxi"}))["results"], "nothing is found"
        kept = await call("memory_remember", {"text": fact, "type": "project"})
        assert kept["outcome"] == "added", kept
        again = await call("memory_search", {"query": fact, "mode": "text"})
        assert fact in json.dumps(again["results"]), "what was told is not found"
        await call("memory_forget", {"entry": kept["id"]})
        gone = await call("memory_search", {"query": fact, "mode": "text"})
        assert fact not in json.dumps(gone["results"]), "what was forgotten is found"
        resources = (await client.list_resources()).resources
        read = await client.read_resource(str(resources[0].uri))
        assert read.contents[0].text, "a resource is empty"
        prompt = await client.get_prompt("recall", {"topic": "taxi"})
        assert "taxi" in prompt.messages[0].content.text


asyncio.run(main(sys.argv[1], sys.argv[2:]))
