import MediaBase

extension EngineConfiguration {
    /// Address that other relays send the packets of pipes to: the first advertised one of the IP family that plain RTP is bound to.
    var pipeAddress: String {
        let isIPv6 = SocketAddress(bindAddress, port: 0)?.isIPv6
        let fitting = webRTC.advertisedAddresses.first { SocketAddress($0, port: 0)?.isIPv6 == isIPv6 }
        return fitting ?? advertisedAddress
    }
}
