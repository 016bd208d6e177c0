/// Live streams that are pushed to other servers.
package enum LiveKeys: ConfigurationSection {
    package static let title = "Live streams"
    package static let keys: [ConfigurationKey] = [
        .flag(
            "live.allowPrivate", \.liveAllowPrivate,
            """
            lets hosts push live streams to addresses inside the operator's network: private, loopback, link-local, \
            multicast and reserved ones ([security.md](security.md#requests-of-the-relay))
            """),
        .flag(
            "live.allowHttp", \.liveAllowHTTP,
            "lets hosts push live streams to `http:` URLs, which send tokens unencrypted"),
        .integer(
            "live.pushes", \.livePushes, 0...10_000,
            "live streams of the relay that are pushed to other servers; each has a thread"),
    ]
}
