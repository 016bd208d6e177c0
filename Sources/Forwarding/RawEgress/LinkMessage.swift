/// State of a network interface, as the kernel answers `RTM_GETLINK` and as it notifies of changes; see rtnetlink(7).
struct LinkMessage: Equatable {
    private static let headerBytes = 16
    private static let ethernet: UInt16 = 1
    /// IFF_UP and IFF_RUNNING.
    private static let needed: UInt32 = 0x01 | 0x40
    /// IFF_LOOPBACK, IFF_POINTOPOINT and IFF_NOARP. Frames to the loopback interface arrive as if from another machine, and the kernel drops
    /// packets of 127.0.0.0/8 that do so.
    private static let excluded: UInt32 = 0x08 | 0x10 | 0x80
    /// Smallest MTU of IPv4 (RFC 791).
    private static let smallestMTU = 68

    var interface: Int32
    /// Longest packet in bytes.
    var mtu: Int
    /// Hardware address; nil if frames cannot be sent through the interface: it is down, no Ethernet device, or part of a VRF.
    var address: EthernetAddress?

    init?(body: UnsafeRawBufferPointer, isRemoved: Bool) {
        guard body.count >= Self.headerBytes, body[0] == 0 else { return nil }
        let type = body.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
        interface = body.loadUnaligned(fromByteOffset: 4, as: Int32.self)
        let flags = body.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        mtu = 0
        var isVRF = false
        for (type, value) in NetlinkAttributes(body, after: Self.headerBytes) {
            switch type {
            case 1: address = EthernetAddress(bytes: value)
            case 4: mtu = Int(NetlinkAttributes.number(value) ?? 0)
            case 18:
                // Kind of the interface, and of the one that it belongs to.
                for (type, value) in NetlinkAttributes(value) where type == 1 || type == 4 {
                    isVRF = isVRF || value.prefix { $0 != 0 }.elementsEqual("vrf".utf8)
                }
            default: break
            }
        }
        guard interface > 0 else { return nil }
        if isRemoved || type != Self.ethernet || flags & Self.needed != Self.needed || flags & Self.excluded != 0
            || isVRF
            || mtu < Self.smallestMTU
        {
            address = nil
        }
    }
}
