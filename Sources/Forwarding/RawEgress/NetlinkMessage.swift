/// Message of a netlink socket (RFC 3549 section 2.3.2) within a buffer that the kernel filled.
///
/// The parsers read the kernel's bytes as hostile: a length that exceeds the buffer ends the reading.
struct NetlinkMessage {
    /// Types of messages; see rtnetlink(7).
    enum Kind {
        static let error: UInt16 = 2
        static let newLink: UInt16 = 16
        static let removedLink: UInt16 = 17
        static let getLink: UInt16 = 18
        static let newAddress: UInt16 = 20
        static let removedAddress: UInt16 = 21
        static let newRoute: UInt16 = 24
        static let removedRoute: UInt16 = 25
        static let getRoute: UInt16 = 26
        static let newNeighbour: UInt16 = 28
        static let removedNeighbour: UInt16 = 29
        static let getNeighbour: UInt16 = 30
        static let newRule: UInt16 = 32
        static let removedRule: UInt16 = 33
        static let newNextHop: UInt16 = 104
        static let removedNextHop: UInt16 = 105
    }

    static let headerBytes = 16

    let type: UInt16
    let sequence: UInt32
    let body: UnsafeRawBufferPointer

    /// Takes the first message from the front of `bytes`; nil if there is none that is complete.
    init?(from bytes: inout UnsafeRawBufferPointer) {
        guard bytes.count >= Self.headerBytes else { return nil }
        let length = Int(bytes.loadUnaligned(as: UInt32.self))
        guard length >= Self.headerBytes, length <= bytes.count else { return nil }
        type = bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        sequence = bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        body = UnsafeRawBufferPointer(rebasing: bytes[Self.headerBytes..<length])
        bytes = UnsafeRawBufferPointer(rebasing: bytes[min(bytes.count, NetlinkAttributes.aligned(length))...])
    }
}
