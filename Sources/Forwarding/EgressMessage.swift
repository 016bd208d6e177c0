package import MediaBase

/// One or more datagrams for one address, lying one after another in the slab: `segment` bytes each, the last may be shorter.
/// Laid out as the C sender's message.
package struct EgressMessage {
    package var data: UnsafePointer<UInt8>
    package var address: UnsafePointer<SocketAddress>
    package var length: UInt32
    package var segment: UInt32

    package init(
        data: UnsafePointer<UInt8>, address: UnsafePointer<SocketAddress>, length: UInt32, segment: UInt32
    ) {
        self.data = data
        self.address = address
        self.length = length
        self.segment = segment
    }
}
