package import MediaBase
package import SRTP

/// One address that packets of a session go to, with the keys they are protected with. Packets of one path that are ready together
/// leave in one send.
package struct EgressPath {
    package var address: SocketAddress
    package var leg: UnsafeMutablePointer<EgressLeg>
    package var tagLength: Int
    /// False once the path is given up; its index is then used again.
    package var isOpen = true

    // Scratch of the batch that is being laid out: where the next packet goes, and which message it can join.
    var cursor: UnsafeMutablePointer<UInt8>?
    var message = -1

    package init(address: SocketAddress, leg: UnsafeMutablePointer<EgressLeg>, tagLength: Int) {
        self.address = address
        self.leg = leg
        self.tagLength = tagLength
    }
}
