import ControlServer
import Foundation
import MediaBase
import MillraceTokens

extension Relay {
    /// Base URL of the HTTP endpoints for clients on this host.
    public var url: String {
        let address = configuration.httpAddress
        let host =
            address == "0.0.0.0" || address == "::" ? "127.0.0.1" : address
        return url(host: host)
    }

    /// URL of the page for other devices, if the relay made its certificate itself; nil if only this host reaches it.
    public var urlForOthers: String? {
        guard configuration.tls == .selfSigned, !configuration.isHTTPOnLoopback else { return nil }
        let hosts = RelayConfiguration.hostAddresses(boundTo: configuration.httpAddress, of: InterfaceAddress.all())
        return hosts.first { SocketAddress($0, port: 0)?.isLoopback == false }.map(url)
    }

    private func url(host: String) -> String {
        let scheme = configuration.isHTTPEncrypted ? "https" : "http"
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(httpPort)"
    }

    /// Returns text to paste into a browser and a shell: URL of the page, tokens for the session "demo", and commands
    /// to publish a test stream and to subscribe to it.
    public func developmentHints() async -> String {
        tokenHints() + adminHint + mediaHints
    }

    private func tokenHints() -> String {
        let app = AppDirectory.development
        let secret = configuration.appDirectory.secret(of: app) ?? ""
        let now = Int64(Date().timeIntervalSince1970)
        func token(_ role: String) -> String {
            var grant = TokenGrant(session: "demo", identity: role, lifetime: 86_400)
            do {
                try grant.set(role: role)
                return try TokenMinter(app: app, secret: secret).mint(grant, now: now)
            } catch {
                return "(no token: \(error))"
            }
        }
        let host = token("host")
        let socket = "ws" + url.dropFirst(4)
        return """

            # the page: join the session "demo", in as many tabs as you like
            \(url)/?session=demo

            # app \(app), secret \(secret); tokens of the session "demo", for a day:
            host:        \(host)
            participant: \(token("participant"))
            subscriber:  \(token("subscriber"))
            # more of them:
            curl -fsS '\(url)/v1/dev/token?session=demo&name=anna&role=participant'
            millrace token --app \(app) --secret \(secret) --session demo --identity anna --role host

            # the control protocol (docs/protocol.md), subprotocol millrace.v1:
            \(socket)/v1/connect?token=\(host)

            """
    }

    /// Export of the admin token that `completed(_:)` made, if any.
    private var adminHint: String {
        guard !configuration.isHTTPOnLoopback else { return "" }
        return
            "\n# the admin token, for /v1, /admin and /metrics:\nexport MILLRACE_ADMIN_TOKEN=\(configuration.adminToken)\n"
    }

    /// Commands to publish a test stream into the session "demo", to subscribe to it and to inspect it.
    private var mediaHints: String {
        // `metrics` needs the token only beyond loopback, and ignores it otherwise.
        let header = configuration.adminToken.isEmpty ? "" : " -H \"Authorization: Bearer $MILLRACE_ADMIN_TOKEN\""
        let session = "\(url)/v1/sessions/demo"
        let media = configuration.advertisedAddresses.first ?? "127.0.0.1"
        let post = "curl -fsS\(header) -H 'Content-Type: application/json' \(session)/plain -d"
        return """

            # publish from a browser or any other WHIP client, and subscribe with a WHEP client (docs/webrtc.md):
            \(url)/whip/demo?stream=camera
            \(url)/whep/demo

            # publish a test stream with video and audio (ffmpeg):
            J=$(\(post) '{"direction":"publish","stream":"cam","audio":{"ssrc":1001,"payloadType":111},"video":{"ssrc":1002,"payloadType":96}}')
            KEY=$(printf %s "$J" | sed 's/.*"clientKey":"\\([^"]*\\)".*/\\1/')
            PORT=$(printf %s "$J" | sed 's/.*"port":\\([0-9]*\\).*/\\1/')
            ffmpeg -re -f lavfi -i testsrc2=size=1280x720:rate=30 -f lavfi -i sine=frequency=440:sample_rate=48000 \\
              -map 0:v -c:v libvpx -deadline realtime -cpu-used 8 -b:v 2M -g 60 -f rtp -payload_type 96 -ssrc 1002 \\
              -srtp_out_suite AES_CM_128_HMAC_SHA1_80 -srtp_out_params "$KEY" "srtp://\(media):$PORT?pkt_size=1200" \\
              -map 1:a -c:a libopus -ac 2 -b:a 96k -f rtp -payload_type 111 -ssrc 1001 \\
              -srtp_out_suite AES_CM_128_HMAC_SHA1_80 -srtp_out_params "$KEY" "srtp://\(media):$PORT?pkt_size=1200"

            # subscribe to it (ffplay):
            printf '%b' "$(\(post) '{"direction":"subscribe","audio":{"port":5004},"video":{"port":5006}}' | sed 's/.*"sdp":"\\([^"]*\\)".*/\\1/')" > demo.sdp
            ffplay -protocol_whitelist file,udp,rtp,srtp -i demo.sdp

            # a still image of it, and the relay's metrics:
            curl -fsS\(header) \(session)/streams/cam/canvas.png -o demo.png
            curl -fsS\(header) \(url)/metrics
            """
    }
}
