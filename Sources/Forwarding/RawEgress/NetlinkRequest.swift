/// Writer of the requests that `EthernetRoutes` sends to the kernel.
enum NetlinkRequest {
    /// Length of the longest request in bytes.
    static let maximumBytes = 48
    private static let ipv4: UInt8 = 2

    /// Asks for the route from `source`, or from an address that the kernel chooses, to one destination.
    static func route(
        to destination: IPv4Host, from source: IPv4Host, sequence: UInt32, at raw: UnsafeMutableRawPointer
    ) -> Int {
        let length = source == .any ? 36 : 44
        writeHeader(NetlinkMessage.Kind.getRoute, length, sequence, at: raw)
        raw.storeBytes(of: ipv4, toByteOffset: 16, as: UInt8.self)
        raw.storeBytes(of: 32, toByteOffset: 17, as: UInt8.self)
        raw.storeBytes(of: source == .any ? 0 : 32, toByteOffset: 18, as: UInt8.self)
        write(destination, type: 1, at: raw + 28)
        if source != .any { write(source, type: 2, at: raw + 36) }
        return length
    }

    /// Asks for the hardware address of one neighbour.
    static func neighbour(
        _ host: IPv4Host, interface: Int32, sequence: UInt32, at raw: UnsafeMutableRawPointer
    ) -> Int {
        writeHeader(NetlinkMessage.Kind.getNeighbour, 36, sequence, at: raw)
        raw.storeBytes(of: ipv4, toByteOffset: 16, as: UInt8.self)
        raw.storeBytes(of: interface, toByteOffset: 20, as: Int32.self)
        write(host, type: 1, at: raw + 28)
        return 36
    }

    /// Asks for the state of one interface, without its statistics of IPv4 and IPv6.
    static func link(_ interface: Int32, sequence: UInt32, at raw: UnsafeMutableRawPointer) -> Int {
        let skipsStatistics: UInt32 = 1 << 3
        writeHeader(NetlinkMessage.Kind.getLink, 40, sequence, at: raw)
        raw.storeBytes(of: interface, toByteOffset: 20, as: Int32.self)
        writeAttribute(29, at: raw + 32)
        raw.storeBytes(of: skipsStatistics, toByteOffset: 36, as: UInt32.self)
        return 40
    }

    private static func write(_ host: IPv4Host, type: UInt16, at raw: UnsafeMutableRawPointer) {
        writeAttribute(type, at: raw)
        raw.storeBytes(of: host.rawValue.bigEndian, toByteOffset: 4, as: UInt32.self)
    }

    /// Writes the header of an attribute with four bytes.
    private static func writeAttribute(_ type: UInt16, at raw: UnsafeMutableRawPointer) {
        raw.storeBytes(of: 8, as: UInt16.self)
        raw.storeBytes(of: type, toByteOffset: 2, as: UInt16.self)
    }

    /// Writes the header of a request, and zeros behind it.
    private static func writeHeader(
        _ type: UInt16, _ length: Int, _ sequence: UInt32, at raw: UnsafeMutableRawPointer
    ) {
        let request: UInt16 = 1
        raw.initializeMemory(as: UInt8.self, repeating: 0, count: maximumBytes)
        raw.storeBytes(of: UInt32(length), as: UInt32.self)
        raw.storeBytes(of: type, toByteOffset: 4, as: UInt16.self)
        raw.storeBytes(of: request, toByteOffset: 6, as: UInt16.self)
        raw.storeBytes(of: sequence, toByteOffset: 8, as: UInt32.self)
    }
}
