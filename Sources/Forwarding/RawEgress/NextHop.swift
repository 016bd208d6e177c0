/// Next machine on the way to one or more destinations: a router, or a destination on the link.
struct NextHop {
    /// Identity of a hop.
    struct Key: Hashable {
        var interface: Int32
        var host: IPv4Host
    }

    let key: Key
    /// Hardware address; nil if the kernel does not know it at present.
    var address: EthernetAddress?
    /// Header of frames to it, and MTU of its interface; nil if no frames can be sent.
    var link: (ethernet: EthernetHeader, mtu: Int)?

    init(_ key: Key) { self.key = key }
}
