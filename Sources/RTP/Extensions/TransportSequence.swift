package import MediaBase

/// Transport-wide sequence number of a packet (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 2). Two bytes.
package struct TransportSequence: RTPExtensionValue {
    package static var kind: RTPExtensionKind { .transportWideCC }

    package var number: SequenceNumber

    @inline(__always)
    package init(_ number: SequenceNumber) { self.number = number }

    @inline(__always)
    package init?(parsing data: UnsafeRawBufferPointer) {
        guard data.count == 2, let base = data.baseAddress else { return nil }
        number = SequenceNumber(base.u16(0))
    }

    package var byteCount: Int { 2 }
    package func write(into data: UnsafeMutableRawBufferPointer) {
        data.storeBytes(of: number.rawValue.bigEndian, as: UInt16.self)
    }
}
