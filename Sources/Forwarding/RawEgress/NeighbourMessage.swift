/// State of an IPv4 neighbour, as the kernel answers `RTM_GETNEIGH` and as it notifies of changes; see rtnetlink(7).
struct NeighbourMessage: Equatable {
    private static let headerBytes = 12
    private static let ipv4: UInt8 = 2
    /// NUD_REACHABLE, NUD_STALE, NUD_DELAY, NUD_PROBE and NUD_PERMANENT: the states in which the kernel itself sends to the address.
    private static let usable: UInt16 = 0x02 | 0x04 | 0x08 | 0x10 | 0x80
    /// NTF_PROXY: an address for which this host answers.
    private static let proxy: UInt8 = 0x08

    var interface: Int32
    var host: IPv4Host
    /// Nil if the kernel does not know it at present.
    var address: EthernetAddress?

    /// - Parameter isRemoved: the message is of a neighbour that no longer exists.
    init?(body: UnsafeRawBufferPointer, isRemoved: Bool) {
        guard body.count >= Self.headerBytes, body[0] == Self.ipv4, body[10] & Self.proxy == 0 else { return nil }
        interface = body.loadUnaligned(fromByteOffset: 4, as: Int32.self)
        let state = body.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
        var host: IPv4Host?
        for (type, value) in NetlinkAttributes(body, after: Self.headerBytes) {
            if type == 1 { host = IPv4Host(bytes: value) }
            if type == 2 { address = EthernetAddress(bytes: value) }
        }
        guard let host, interface > 0 else { return nil }
        self.host = host
        if isRemoved || state & Self.usable == 0 { address = nil }
    }
}
