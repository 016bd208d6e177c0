import SRTP

/// Returns the plaintext or the error for a copy of `packet`.
func outcome(
    _ packet: [UInt8],
    _ operation: (_ packet: UnsafeMutableRawPointer, _ length: inout Int) throws -> Void
) -> Result<[UInt8], SRTPFailure> {
    // A block of exactly the packet's length, so that AddressSanitizer detects a read beyond it.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(packet.count, 1), alignment: 16)
    defer { copy.deallocate() }
    copy.copyBytes(from: packet)
    var length = packet.count
    do {
        try operation(copy.baseAddress!, &length)
    } catch let error as SRTPFailure {
        precondition(length == packet.count, "a refused packet keeps its length")
        return .failure(error)
    } catch {
        preconditionFailure("not a failure of SRTP: \(error)")
    }
    return .success(Array(copy.prefix(length)))
}
