/// Finds complete pages in a byte source; skips and notes damaged bytes.
struct OggPageReader {
    let input: BufferedSource
    private(set) var damage = DamageLog()

    init(_ input: BufferedSource) { self.input = input }

    mutating func note(_ error: ContainerError, lostBytes: Int64 = 0) { damage.add(error, lostBytes: lostBytes) }

    mutating func next() throws(ContainerError) -> OggPage? {
        var lostFrom: Int64?
        var reason = ContainerError.Reason.truncated
        while true {
            let start = input.position
            let window = try input.peek(OggPage.maximumByteCount)
            let parsed = OggPage.parse(window, at: start)
            if case .page(let page, let byteCount) = parsed {
                if let lostFrom {
                    damage.add(ContainerError(.ogg, "page", at: lostFrom, reason), lostBytes: start - lostFrom)
                }
                input.seek(to: start + Int64(byteCount))
                return page
            }
            if window.isEmpty {
                if let lostFrom {
                    damage.add(ContainerError(.ogg, "page", at: lostFrom, reason), lostBytes: start - lostFrom)
                }
                return nil
            }
            if lostFrom == nil {
                lostFrom = start
                if case .malformed(let why) = parsed { reason = .malformed(why) }
            }
            // The next capture pattern may lie inside the damaged page's claimed length.
            input.seek(to: start + 1)
            _ = try input.find(Array("OggS".utf8))
        }
    }
}
