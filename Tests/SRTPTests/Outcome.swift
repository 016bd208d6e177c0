import SRTP

/// What became of a copy of `packet`: its plaintext or the failure.
func outcome(
    _ packet: [UInt8],
    _ operation: (_ packet: UnsafeMutableRawPointer, _ length: inout Int) throws -> Void
) -> Result<[UInt8], SRTPFailure> {
    // Exactly as large as the packet, so that a reader of one byte more is seen by AddressSanitizer.
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
