package import MediaBase

/// One or more datagrams for one address, lying one after another in the slab: `segment` bytes each, the last may be shorter.
/// Laid out as the C sender's message.
package struct EgressMessage {
    package var data: UnsafePointer<UInt8>
    package var address: UnsafePointer<SocketAddress>
    package var length: UInt32
    package var segment: UInt32
    /// Which of this machine's addresses it leaves from, by the engine's numbers; 0: the kernel's choice.
    package var local: UInt32

    package init(
        data: UnsafePointer<UInt8>, address: UnsafePointer<SocketAddress>, length: UInt32, segment: UInt32,
        local: UInt32 = 0
    ) {
        self.data = data
        self.address = address
        self.length = length
        self.segment = segment
        self.local = local
    }
}
