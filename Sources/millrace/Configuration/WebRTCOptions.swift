import ArgumentParser

/// WebRTC transports and their bandwidth.
struct WebRTCOptions: ConfigurationOptionGroup {
    @Option(help: .key("webrtc.port")) var webrtcPort: String?
    @Flag(inversion: .prefixedNo, help: .key("webrtc.tcp")) var webrtcTcp: Bool?
    @Option(help: .key("dtls.certificate")) var dtlsCertificate: String?
    @Option(help: .key("ice.servers")) var iceServers: String?
    @Option(help: .key("ice.username")) var iceUsername: String?
    @Option(help: .key("ice.credential")) var iceCredential: String?
    @Option(help: .key("bandwidth.minimumKilobits")) var bandwidthMinimumKilobits: String?
    @Option(help: .key("bandwidth.startKilobits")) var bandwidthStartKilobits: String?
    @Option(help: .key("bandwidth.maximumKilobits")) var bandwidthMaximumKilobits: String?
    @Option(help: .key("audio.loudest")) var audioLoudest: String?

    var given: [String: String?] {
        [
            "webrtc.port": webrtcPort,
            "webrtc.tcp": webrtcTcp.map(String.init),
            "dtls.certificate": dtlsCertificate,
            "ice.servers": iceServers,
            "ice.username": iceUsername,
            "ice.credential": iceCredential,
            "bandwidth.minimumKilobits": bandwidthMinimumKilobits,
            "bandwidth.startKilobits": bandwidthStartKilobits,
            "bandwidth.maximumKilobits": bandwidthMaximumKilobits,
            "audio.loudest": audioLoudest,
        ]
    }
}
