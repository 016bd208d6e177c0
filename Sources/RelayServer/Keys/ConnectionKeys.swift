/// Control connections of participants.
package enum ConnectionKeys: ConfigurationSection {
    package static let title = "Control connections"
    package static let keys: [ConfigurationKey] = [
        .choice(
            "role.promotion", \.rolePromotion,
            "users that the host may make host or manager: any, or only those whose token has `role_type` 1"
        ).reloadable,
        .choice(
            "mute.unmuteOthers", \.muteUnmuteOthers,
            "effect of a moderator's `requestUnmute`: asks the user's client, or unmutes the user at once"
        ).reloadable,
        .integer(
            "connect.graceSeconds", \.connectGraceSeconds, 0...3_600,
            """
            time in which a lost client can resume, and in which a session without other users waits for a publisher \
            by WHIP or plain SRTP while it has subscribers ([webrtc.md](webrtc.md#the-sessions-rules))
            """
        ).reloadable,
        .integer(
            "connect.pingSeconds", \.connectPingSeconds, 1...600,
            """
            time without a message of a client after which the relay sends a ping; after three pings the client is \
            lost
            """),
        .integer(
            "connect.joinSeconds", \.connectJoinSeconds, 1...3_600,
            "time in which a WebSocket must join a session"
        ).reloadable,
        .flag(
            "connect.keysOnLoopback", \.connectKeysOnLoopback,
            """
            native media without TLS for clients on this host; switch it off if a proxy on this host accepts \
            connections without TLS
            """
        ).reloadable,
    ]
}
