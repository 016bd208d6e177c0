package import MediaBase
import RTP

/// Passes packets of a stream to the endpoint of a WHIP push, with their gaps and their capture times.
package struct PushTracks {
    /// Packet of the pushed stream.
    package struct Packet {
        package var kind: MediaKind
        /// Unwrapped sequence number and RTP timestamp.
        package var sequence: Int64
        package var timestamp: Int64
        package var marker: Bool
        package var arrival: MediaTime
        /// NTP time of `timestamp` by the publisher's clock; nil before the first sender report.
        package var captureNTP: UInt64?
        package var payload: UnsafeRawBufferPointer

        package init(
            kind: MediaKind, sequence: Int64, timestamp: Int64, marker: Bool, arrival: MediaTime, captureNTP: UInt64?,
            payload: UnsafeRawBufferPointer
        ) {
            self.kind = kind
            self.sequence = sequence
            self.timestamp = timestamp
            self.marker = marker
            self.arrival = arrival
            self.captureNTP = captureNTP
            self.payload = payload
        }
    }

    /// Index of each kind's track in the endpoint's offer.
    private let trackIndices: [MediaKind: Int]
    private var numbering: [MediaKind: PushNumbering] = [:]
    private var clock = PushClock()
    /// Packets that the endpoint did not take.
    package private(set) var dropped: UInt64 = 0

    /// - Parameter kinds: kinds in the order of the endpoint's tracks.
    package init(kinds: [MediaKind]) {
        trackIndices = Dictionary(uniqueKeysWithValues: kinds.enumerated().map { ($1, $0) })
    }

    /// Returns the kind of the endpoint's track.
    package func kind(ofTrack index: Int) -> MediaKind? { trackIndices.first { $0.value == index }?.key }

    package mutating func send(_ packet: Packet, to endpoint: WebRTCEndpoint, now: MediaTime) {
        guard endpoint.isConnected, let index = trackIndices[packet.kind], endpoint.encodingCount(track: index) > 0
        else {
            return
        }
        let time = clock.time(
            of: packet.kind, timestamp: packet.timestamp, captureNTP: packet.captureNTP, arrival: packet.arrival)
        var numbers = numbering[packet.kind] ?? PushNumbering(first: endpoint.nextSequence(track: index))
        let number = numbers.number(of: packet.sequence)
        numbering[packet.kind] = numbers
        guard let number,
            endpoint.send(
                packet.payload, track: index, time: time, marker: packet.marker, sequence: number, now: now)
        else {
            dropped &+= 1
            return
        }
    }
}
