import ArgumentParser

/// Control connections of participants.
struct ConnectionOptions: ConfigurationOptionGroup {
    @Option(help: .key("role.promotion")) var rolePromotion: String?
    @Option(help: .key("mute.unmuteOthers")) var muteUnmuteOthers: String?
    @Option(help: .key("connect.graceSeconds")) var connectGraceSeconds: String?
    @Option(help: .key("connect.pingSeconds")) var connectPingSeconds: String?
    @Option(help: .key("connect.joinSeconds")) var connectJoinSeconds: String?
    @Flag(inversion: .prefixedNo, help: .key("connect.keysOnLoopback")) var connectKeysOnLoopback: Bool?

    var given: [String: String?] {
        [
            "role.promotion": rolePromotion,
            "mute.unmuteOthers": muteUnmuteOthers,
            "connect.graceSeconds": connectGraceSeconds,
            "connect.pingSeconds": connectPingSeconds,
            "connect.joinSeconds": connectJoinSeconds,
            "connect.keysOnLoopback": connectKeysOnLoopback.map(String.init),
        ]
    }
}
