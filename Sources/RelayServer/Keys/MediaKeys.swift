/// Sockets and threads for media.
package enum MediaKeys: ConfigurationSection {
    package static let title = "Media"
    package static let keys: [ConfigurationKey] = [
        .text("media.address", \.mediaAddress, .address, "address of the media sockets"),
        .text(
            "media.advertised", \.mediaAdvertised, .addresses,
            """
            addresses that clients send media to, the preferred one first. Default: if `media.address` means all \
            addresses, those of the interfaces that are up when the relay starts or takes the new value (without \
            link-local ones; that of the default route first), otherwise `media.address`. Plain transports use the \
            first address, WebRTC answers have a candidate for each
            """
        ).reloadable,
        .integer(
            "media.port", \.mediaPort, 0...65_000, step: 2,
            "UDP port of worker 0 for plain transports; each further worker uses the port two higher; 0: free ports"),
        .integer("media.workers", \.mediaWorkers, 1...64, "threads that forward media"),
        .integer(
            "media.spreadAbovePercent", \.mediaSpreadAbovePercent, 0...100,
            """
            use of a core by the worker of a session from which on further subscribers of the session go to workers \
            with less load; 0: always; 100: never
            """),
        .integer(
            "media.gatherMicroseconds", \.mediaGatherMicroseconds, 0...5_000,
            """
            maximum time that packets are gathered to share a send while a worker uses less than 30 % of its core; \
            0: none is gathered, with any load
            """),
        .integer(
            "media.latencyBudgetMicroseconds", \.mediaLatencyBudgetMicroseconds, 0...20_000,
            """
            maximum time that video packets are gathered while a worker uses more than 70 % of its core. Between both \
            loads the time rises linearly
            """),
        .integer(
            "media.audioLatencyBudgetMicroseconds", \.mediaAudioLatencyBudgetMicroseconds, 0...20_000,
            """
            the same for audio in sessions with several audio publishers; the audio of a single one is not gathered
            """),
        .choice("media.protection", \.mediaProtection, "implementation that encrypts outgoing packets"),
        .choice("media.offload", \.mediaOffload, "UDP segmentation and coalescing by the kernel"),
        .choice(
            "media.rawEgress", \.mediaRawEgress,
            """
            single packets and short runs to IPv4 subscribers leave as complete frames through a packet socket, which \
            needs CAP_NET_RAW and costs less CPU time. They bypass firewall rules, address translation and queueing \
            disciplines of this host ([deploy.md](deploy.md#raw-egress))
            """),
        .text(
            "video.codecs", \.videoCodecs, .videoCodecs,
            """
            video codecs that are forwarded. A publisher's offer is answered with the first of its codecs that is in \
            the list; the relay's offers to subscribers have this order
            """),
    ]
}
