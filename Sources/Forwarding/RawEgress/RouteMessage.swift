/// Route to one IPv4 destination, as the kernel answers `RTM_GETROUTE`; see rtnetlink(7).
struct RouteMessage: Equatable {
    private static let headerBytes = 12
    private static let ipv4: UInt8 = 2
    private static let unicast: UInt8 = 1
    /// RTNH_F_DEAD, RTNH_F_UNRESOLVED and RTNH_F_LINKDOWN.
    private static let unusable: UInt32 = 0x01 | 0x20 | 0x10

    var destination: IPv4Host
    /// Address that the kernel chose; nil if the request named one.
    var source: IPv4Host?
    /// Router on the way; nil if the destination is on the link.
    var gateway: IPv4Host?
    var interface: Int32
    /// Limit of the route or of the path, in bytes; nil if that of the interface applies.
    var mtu: Int?
    /// Time-to-live that the route sets.
    var hopLimit: UInt8?
    /// True if packets need no more than an Ethernet header: a unicast route without encapsulation that leads to another machine over a
    /// link that is up.
    var isPlain: Bool

    init?(body: UnsafeRawBufferPointer) {
        guard body.count >= Self.headerBytes, body[0] == Self.ipv4, body[1] == 32 else { return nil }
        var isPlain =
            body[7] == Self.unicast && body.loadUnaligned(fromByteOffset: 8, as: UInt32.self) & Self.unusable == 0
        var destination: IPv4Host?
        var interface: UInt32?
        (source, gateway, mtu, hopLimit) = (nil, nil, nil, nil)
        for (type, value) in NetlinkAttributes(body, after: Self.headerBytes) {
            switch type {
            case 1: destination = IPv4Host(bytes: value)
            case 4: interface = NetlinkAttributes.number(value)
            case 5: gateway = IPv4Host(bytes: value)
            case 7: source = IPv4Host(bytes: value)
            case 8:
                for (metric, value) in NetlinkAttributes(value) {
                    guard let number = NetlinkAttributes.number(value), number > 0 else { continue }
                    if metric == 2 { mtu = Int(number) }
                    if metric == 10 { hopLimit = UInt8(clamping: number) }
                }
            // Several next hops, a gateway of another family, labels of MPLS, encapsulation.
            case 9, 18, 19, 21, 22: isPlain = false
            default: break
            }
        }
        guard let destination, let interface, let interface = Int32(exactly: interface), interface > 0 else {
            return nil
        }
        self.destination = destination
        self.interface = interface
        self.isPlain = isPlain
    }
}
