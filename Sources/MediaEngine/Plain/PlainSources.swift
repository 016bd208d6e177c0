import Forwarding
import MediaBase

/// SSRCs of plain publishers. An SSRC is unique only within a transport, so that several transports may use the same one. Their packets
/// are distinguished by source address or, before that is known, by key.
struct PlainSources: ~Copyable {
    /// Maximum number of transports with the same SSRC on one worker: each of their keys is tried on a packet from an unknown address.
    static let maximumShared = 16

    struct Source {
        let ssrc: SSRC
        /// Index of the inbound track.
        let track: Int
        /// Payload type of retransmissions (RFC 4588); nil: media.
        let rtx: PayloadType?
        /// Source address of the last authentic packet; empty before the first.
        var address = SocketAddress()
        /// Index of the SSRC's state in the decryption context.
        var slot = 0
        /// Index of the next source with this SSRC; -1: none.
        fileprivate var next = -1

        init(ssrc: SSRC, track: Int, rtx: PayloadType? = nil) {
            self.ssrc = ssrc
            self.track = track
            self.rtx = rtx
        }
    }

    /// First source of each SSRC.
    private var table = SSRCTable()
    private var sources: ContiguousArray<Source> = []
    private var free: [Int] = []

    subscript(index: Int) -> Source {
        _read { yield sources[index] }
        _modify { yield &sources[index] }
    }

    @inline(__always)
    func first(of ssrc: SSRC) -> Int? { table.find(ssrc) }

    @inline(__always)
    func isShared(_ first: Int) -> Bool { sources[first].next >= 0 }

    /// Returns the source of an SSRC to try first: one that sends from this address, else the first.
    func firstCandidate(from first: Int, at address: SocketAddress) -> Int? {
        candidate(from: first, at: address, isAtAddress: true)
            ?? candidate(from: first, at: address, isAtAddress: false)
    }

    /// Returns the next source to try: sources at the address come before all others.
    func candidate(after index: Int, from first: Int, at address: SocketAddress) -> Int? {
        let isAtAddress = sources[index].address == address
        let next = self.candidate(from: sources[index].next, at: address, isAtAddress: isAtAddress)
        return next ?? (isAtAddress ? self.candidate(from: first, at: address, isAtAddress: false) : nil)
    }

    private func candidate(from start: Int, at address: SocketAddress, isAtAddress: Bool) -> Int? {
        var index = start
        while index >= 0, (sources[index].address == address) != isAtAddress { index = sources[index].next }
        return index >= 0 ? index : nil
    }

    /// Returns all sources of an SSRC in the order in which they are tried.
    func candidates(from first: Int, at address: SocketAddress) -> [Int] {
        var found: [Int] = []
        var index = firstCandidate(from: first, at: address)
        while let candidate = index {
            found.append(candidate)
            index = self.candidate(after: candidate, from: first, at: address)
        }
        return found
    }

    /// Returns the tracks that use an SSRC.
    func tracks(of ssrc: SSRC) -> [Int] {
        table.find(ssrc).map { candidates(from: $0, at: SocketAddress()).map { sources[$0].track } } ?? []
    }

    mutating func insert(_ source: Source) {
        var index = sources.count
        if let old = free.popLast() {
            index = old
            sources[index] = source
        } else {
            sources.append(source)
        }
        guard !table.insert(source.ssrc, index), let first = table.find(source.ssrc) else { return }
        var last = first
        while sources[last].next >= 0 { last = sources[last].next }
        sources[last].next = index
    }

    /// Removes the sources of a track.
    mutating func remove(track: Int) {
        for index in sources.indices where sources[index].track == track { remove(index) }
    }

    private mutating func remove(_ index: Int) {
        let source = sources[index]
        guard let first = table.find(source.ssrc) else { return }
        if first == index {
            table.remove(source.ssrc)
            if source.next >= 0 { _ = table.insert(source.ssrc, source.next) }
        } else {
            var before = first
            while sources[before].next >= 0, sources[before].next != index { before = sources[before].next }
            guard sources[before].next == index else { return }
            sources[before].next = source.next
        }
        sources[index] = Source(ssrc: source.ssrc, track: -1)
        free.append(index)
    }
}
