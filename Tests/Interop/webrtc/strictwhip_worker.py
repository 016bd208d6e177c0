"""A process with a WHIP endpoint (RFC 9725), whose peers are aiortc's. It refuses and records what the RFC does not allow.

Commands and answers are those of aiortc_worker.py; peers are numbered in the order of their creation.
"""

import asyncio
import secrets

from aiohttp import web
from aiortc import RTCSessionDescription
from aiortc.sdp import candidate_from_sdp

import aiortc_worker
import strictice
import strictoffer

ENDPOINT, REDIRECTED = "/whip/live", "/whip/ingest/live"


class Refusal(Exception):
    """A request that the RFC does not allow."""

    def __init__(self, status, reason, **fields):
        super().__init__(reason)
        self.status, self.fields = status, fields


class Resource:
    def __init__(self, number, offer, sessions):
        self.number, self.offer, self.sessions, self.etag = number, offer, sessions, f'"{secrets.token_hex(8)}"'
        # Credentials of the client in the current ICE session.
        head = strictoffer.parsed(offer)[1][0]
        self.credentials = tuple(head.values(name)[0] for name in ("ice-ufrag", "ice-pwd"))


class Endpoint(aiortc_worker.Api):
    """The endpoint redirects each first request, and returns locations relative to the redirected one."""

    def __init__(self):
        super().__init__()
        self.token, self.resources, self.redirected, self.counts = "", {}, set(), {}
        self.faults, self.offers, self.fragments, self.deleted = [], [], [], 0
        self.patches = ("candidates", "restarts")

    async def serve(self, address, port, token, patches=None):
        """`patches`: what clients may change by PATCH; by default candidates and ICE restarts."""
        self.token = token
        self.patches = self.patches if patches is None else patches
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self.answer)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, address, port, reuse_address=True)
        await site.start()

    async def record(self):
        """Returns the requests by method and status, the faults, the accepted offers and fragments, and the resources with their entity-tags."""
        return {"counts": self.counts, "faults": self.faults, "offers": self.offers, "fragments": self.fragments, "calls": list(self._calls),
                "deleted": self.deleted, "resources": {path: resource.etag for path, resource in self.resources.items()}}

    async def cut(self):
        """Closes the UDP sockets of all peers, which keep their keys."""
        for resource in self.resources.values():
            await resource.sessions.cut()

    async def answer(self, request):
        try:
            answer = await self.handle(request)
        except Refusal as refusal:
            self.faults.append(f"{request.method} {request.path}: {refusal}")
            answer = web.Response(status=refusal.status, text=str(refusal), headers={name.replace("_", "-"): value for name, value in refusal.fields.items()})
        kind = f"{request.method} {answer.status}"
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return answer

    async def handle(self, request):
        resource = self.resources.get(request.raw_path)
        if request.raw_path in (ENDPOINT, REDIRECTED):
            methods = ("POST", "OPTIONS")
        elif resource:
            methods = ("PATCH", "DELETE", "OPTIONS") if self.patches else ("DELETE", "OPTIONS")
        else:
            raise Refusal(404, "no such resource")
        if request.method not in methods:
            raise Refusal(405, "the method is not allowed", Allow=", ".join(methods))
        if request.method == "OPTIONS":
            # A preflight request for CORS has no token (section 4.7.1).
            return web.Response(headers={"Accept-Post": "application/sdp"} if resource is None else {})
        if request.headers.getall("Authorization", []) != [f"Bearer {self.token}"]:
            raise Refusal(401, "the token is missing or wrong", WWW_Authenticate="Bearer")
        body = await request.read()
        if request.method == "POST":
            return await self.post(request, body)
        if request.method == "PATCH":
            return await self.patch(request, resource, body)
        if body:
            raise Refusal(400, "DELETE has a body")
        del self.resources[request.raw_path]
        self.deleted += 1
        await self._calls[resource.number].pc.close()
        await resource.sessions.close()
        return web.Response()

    async def post(self, request, body):
        self.need_type(request, "application/sdp")
        accepted = {item.partition(";")[0].strip() for value in request.headers.getall("Accept", []) for item in value.split(",")}
        if accepted and not accepted & {"application/sdp", "application/*", "*/*"}:
            raise Refusal(406, "the client accepts no session description")
        offer = self.text(body)
        found = strictoffer.faults(offer)
        if found:
            raise Refusal(400 if strictoffer.parsed(offer) is None else 422, "; ".join(found))
        if request.raw_path == ENDPOINT:
            self.redirected.add(offer)
            return web.Response(status=307, headers={"Location": f"ingest{ENDPOINT.removeprefix('/whip')}"})
        if offer not in self.redirected:
            raise Refusal(400, "the offer is not the one that was redirected")
        self.redirected.discard(offer)
        return await self.create(offer)

    async def create(self, offer):
        call = aiortc_worker.Call({"bundle": True})
        number = next(self._ids)
        self._calls[number] = call
        await call.pc.setRemoteDescription(RTCSessionDescription(offer, "offer"))
        resource = Resource(number, offer, strictice.Sessions(call.pc))
        await call.pc.setLocalDescription(await call.pc.createAnswer())
        call.answer = call.pc.localDescription.sdp
        identifier = secrets.token_urlsafe(16)
        self.resources[f"/resource/{identifier}"] = resource
        self.offers.append(offer)
        # A client ignores links of extensions that it does not know (section 4.9).
        return web.Response(status=201, body=call.answer.encode(), content_type="application/sdp", headers={
            "Location": f"../../resource/{identifier}", "ETag": resource.etag,
            "Link": '<../../extension>; rel="urn:ietf:params:whip:ext:example:events"; events="active,inactive"'})

    async def patch(self, request, resource, body):
        self.need_type(request, "application/trickle-ice-sdpfrag")
        match = request.headers.getall("If-Match", [])
        if not match:
            raise Refusal(428, "If-Match is missing")
        text = self.text(body)
        fragment = strictoffer.Fragment(text, resource.offer)
        if fragment.faults:
            raise Refusal(400, "; ".join(fragment.faults))
        is_restart = (fragment.user, fragment.password) != resource.credentials
        if match not in (["*"], [resource.etag]):
            raise Refusal(412, "If-Match is not the entity-tag of the ICE session")
        if is_restart != (match == ["*"]):
            raise Refusal(400, "If-Match of an ICE restart is *, that of candidates the entity-tag (section 4.3)")
        if ("restarts" if is_restart else "candidates") not in self.patches:
            return web.Response(status=422)
        self.fragments.append(text)
        return await (self.restart if is_restart else self.add)(resource, fragment)

    async def add(self, resource, fragment):
        pc = self._calls[resource.number].pc
        for line in fragment.candidates:
            candidate = candidate_from_sdp(line)
            candidate.sdpMLineIndex = 0
            await pc.addIceCandidate(candidate)
        await pc.addIceCandidate(None)
        return web.Response(status=204)

    async def restart(self, resource, fragment):
        if set(resource.credentials) & {fragment.user, fragment.password}:
            raise Refusal(400, "an ICE restart changes both credentials (RFC 8445 section 9)")
        lines = await resource.sessions.restart(fragment.user, fragment.password, fragment.candidates)
        resource.credentials, resource.etag = (fragment.user, fragment.password), f'"{secrets.token_hex(8)}"'
        section = strictoffer.parsed(resource.offer)[1][0]
        body = [f"m={section.head}", f"a=mid:{section.values('mid')[0]}", *lines, "a=end-of-candidates", ""]
        return web.Response(status=200, body="\r\n".join(body).encode(), content_type="application/trickle-ice-sdpfrag",
                            headers={"ETag": resource.etag})

    def need_type(self, request, wanted):
        if request.headers.getall("Content-Type", []) != [wanted]:
            raise Refusal(415, f"Content-Type is not {wanted}")

    def text(self, body):
        try:
            return body.decode("ascii")
        except UnicodeDecodeError:
            raise Refusal(400, "the body is no text") from None


async def main():
    await aiortc_worker.main(Endpoint())


if __name__ == "__main__":
    asyncio.run(main())
