import RTP

/// Media that one subscriber received; confined to a thread.
struct Reception {
    var tracks: [TrackReception]
    /// Queue of the decoder; nil if the media is not decoded.
    let feed: SampleFeed?
    private let joined: Int64
    private var firstPacket: Int64?
    private var lastKeyFrameRequest: Int64

    private static let keyFrameInterval: Int64 = 500_000_000
    private static let silentAfter: Int64 = 2_000_000_000

    /// - Parameter joined: time at which the join began, in monotonic nanoseconds.
    init(tracks: [TrackReception] = [], joined: Int64, feed: SampleFeed?) {
        self.tracks = tracks
        self.joined = joined
        self.feed = feed
        lastKeyFrameRequest = joined
    }

    /// Counts a packet in a datagram of `bytes`. Returns false if it belongs to none of the tracks.
    mutating func record(_ header: RTPHeader, bytes: Int, now: Int64) -> Bool {
        guard let track = tracks.firstIndex(where: { $0.ssrc == header.ssrc.rawValue }) else { return false }
        tracks[track].record(header, bytes: bytes, now: now)
        if firstPacket == nil { firstPacket = now }
        return true
    }

    /// Returns whether to request a key frame now: if the decoder needs one, at most twice a second.
    mutating func takeKeyFrameRequest(now: Int64) -> Bool {
        guard let feed, feed.wantsKeyFrame, now - lastKeyFrameRequest >= Self.keyFrameInterval else { return false }
        lastKeyFrameRequest = now
        return true
    }

    func add(to total: inout ReceptionStatistics, now: Int64) {
        for track in tracks {
            track.add(to: &total)
            if track.packets == 0, now - joined > Self.silentAfter { total.silentTracks += 1 }
        }
        if let firstPacket { total.firstPacket.record((firstPacket - joined) / 1_000) }
    }
}
