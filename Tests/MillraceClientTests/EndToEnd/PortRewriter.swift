/// Replaces a text by another one of the same length in a byte stream that arrives in pieces. A test uses it to send media
/// to another port than the one that the relay announces.
struct PortRewriter {
    private let from: [UInt8]
    private let to: [UInt8]
    /// End of the received bytes, if it may be the beginning of the text.
    private var rest: [UInt8] = []

    init(from: String, to: String) {
        self.from = Array(from.utf8)
        self.to = Array(to.utf8)
        precondition(self.from.count == self.to.count && !self.from.isEmpty)
    }

    mutating func pass(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var data = rest
        data.append(contentsOf: bytes)
        var offset = 0
        while offset + from.count <= data.count {
            if data[offset] == from[0], data[offset..<(offset + from.count)].elementsEqual(from) {
                data.replaceSubrange(offset..<(offset + from.count), with: to)
                offset += from.count
            } else {
                offset += 1
            }
        }
        let longest = min(from.count - 1, data.count)
        let count = stride(from: longest, to: 0, by: -1).first { data.suffix($0).elementsEqual(from.prefix($0)) } ?? 0
        rest = Array(data.suffix(count))
        data.removeLast(count)
        return data
    }
}
