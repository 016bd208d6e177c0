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

    subscript(place: Int) -> Source {
        _read { yield sources[place] }
        _modify { yield &sources[place] }
    }

    @inline(__always)
    func first(of ssrc: SSRC) -> Int? { table.find(ssrc) }

    @inline(__always)
    func isShared(_ first: Int) -> Bool { sources[first].next >= 0 }

    /// Returns the source of an SSRC to try first: one that sends from this address, else the first.
    func firstPlace(from first: Int, at address: SocketAddress) -> Int? {
        place(from: first, at: address, isAtAddress: true) ?? place(from: first, at: address, isAtAddress: false)
    }

    /// Returns the next source to try: sources at the address come before all others.
    func place(after place: Int, from first: Int, at address: SocketAddress) -> Int? {
        let isAtAddress = sources[place].address == address
        let next = self.place(from: sources[place].next, at: address, isAtAddress: isAtAddress)
        return next ?? (isAtAddress ? self.place(from: first, at: address, isAtAddress: false) : nil)
    }

    private func place(from start: Int, at address: SocketAddress, isAtAddress: Bool) -> Int? {
        var place = start
        while place >= 0, (sources[place].address == address) != isAtAddress { place = sources[place].next }
        return place >= 0 ? place : nil
    }

    /// Returns all sources of an SSRC in the order in which they are tried.
    func places(from first: Int, at address: SocketAddress) -> [Int] {
        var places: [Int] = []
        var place = firstPlace(from: first, at: address)
        while let found = place {
            places.append(found)
            place = self.place(after: found, from: first, at: address)
        }
        return places
    }

    /// Returns the tracks that use an SSRC.
    func tracks(of ssrc: SSRC) -> [Int] {
        table.find(ssrc).map { places(from: $0, at: SocketAddress()).map { sources[$0].track } } ?? []
    }

    mutating func insert(_ source: Source) {
        var place = sources.count
        if let old = free.popLast() {
            place = old
            sources[place] = source
        } else {
            sources.append(source)
        }
        guard !table.insert(source.ssrc, place), let first = table.find(source.ssrc) else { return }
        var last = first
        while sources[last].next >= 0 { last = sources[last].next }
        sources[last].next = place
    }

    /// Removes the sources of a track.
    mutating func remove(track: Int) {
        for place in sources.indices where sources[place].track == track { remove(place) }
    }

    private mutating func remove(_ place: Int) {
        let source = sources[place]
        guard let first = table.find(source.ssrc) else { return }
        if first == place {
            table.remove(source.ssrc)
            if source.next >= 0 { _ = table.insert(source.ssrc, source.next) }
        } else {
            var before = first
            while sources[before].next >= 0, sources[before].next != place { before = sources[before].next }
            guard sources[before].next == place else { return }
            sources[before].next = source.next
        }
        sources[place] = Source(ssrc: source.ssrc, track: -1)
        free.append(place)
    }
}
