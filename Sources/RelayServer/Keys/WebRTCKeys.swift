/// WebRTC transports and their bandwidth.
package enum WebRTCKeys: ConfigurationSection {
    package static let title = "WebRTC"
    package static let keys: [ConfigurationKey] = [
        .integer(
            "webrtc.port", \.webRTCPort, 0...65_000,
            "UDP and TCP port of worker 0 for WebRTC; each further worker uses the next port; 0: free ports"),
        .flag("webrtc.tcp", \.webRTCTCP, "ICE over TCP in addition to UDP, for networks that block UDP"),
        .choice("dtls.certificate", \.dtlsCertificate, "key type of the DTLS certificate"),
        .text(
            "ice.servers", \.iceServers, .iceServers,
            "STUN and TURN servers in WHIP and WHEP answers. The relay itself uses none"),
        .text("ice.username", \.iceUsername, .quotable, "user name for the TURN servers of `ice.servers`"),
        .text("ice.credential", \.iceCredential, .quotableSecret, "password for the TURN servers of `ice.servers`"),
        .integer(
            "bandwidth.minimumKilobits", \.bandwidthMinimumKilobits, 10...1_000_000,
            "minimum bandwidth estimate of a subscriber's path, per second"),
        .integer(
            "bandwidth.startKilobits", \.bandwidthStartKilobits, 10...1_000_000,
            "initial bandwidth estimate of a subscriber's path, per second"),
        .integer(
            "bandwidth.maximumKilobits", \.bandwidthMaximumKilobits, 10...1_000_000,
            "maximum bit rate sent to a subscriber, per second"),
        .integer(
            "audio.loudest", \.audioLoudest, 0...1_000,
            "number of loudest audio tracks that are forwarded, in each subsession and in the main session; 0: all"),
    ]
}
