package import MediaBase

/// Values of the header extensions of one packet, read in one pass. If an extension occurs twice, the first valid one counts; an
/// extension with invalid data counts as absent. Plain values: parsing allocates nothing.
///
///     let values = RTPExtensionValues(header, in: packet, map: track.extensions)
///     if let level = values.audioLevel { ... }
///     if values.mid.isPresent { streams[values.mid(in: packet)] ... }
package struct RTPExtensionValues: Sendable {
    /// Position of the data of an extension in the packet, not validated.
    package struct Data: Hashable, Sendable {
        fileprivate var offset: UInt32 = 0
        fileprivate var length: UInt8 = 0
        package var isPresent: Bool { length > 0 }
    }

    package private(set) var audioLevel: AudioLevel?
    package private(set) var transportSequence: TransportSequence?
    package private(set) var sendTime: AbsoluteSendTime?
    package private(set) var captureTime: AbsoluteCaptureTime?
    package private(set) var playoutDelay: PlayoutDelay?
    package private(set) var videoOrientation: VideoOrientation?
    package private(set) var mid = Data()
    package private(set) var rid = Data()
    package private(set) var repairedRID = Data()
    package private(set) var dependencyDescriptor = Data()

    /// No extensions.
    package init() {}

    /// Extensions of a packet that a publisher sent earlier.
    package init(
        audioLevel: AudioLevel?, videoOrientation: VideoOrientation?, captureTime: AbsoluteCaptureTime?
    ) {
        self.audioLevel = audioLevel
        self.videoOrientation = videoOrientation
        self.captureTime = captureTime
    }

    /// - Parameters:
    ///   - header: parsed from `packet`.
    ///   - map: the ids negotiated with the packet's sender.
    @inline(__always)
    package init(_ header: RTPHeader, in packet: UnsafeRawBufferPointer, map: RTPExtensionMap) {
        guard header.hasExtension, !map.isEmpty else { return }
        var elements = header.extensions(in: packet)
        while let element = elements.next() {
            guard let kind = map.kind(of: element.id) else { continue }
            note(kind, element, packet)
        }
    }

    /// Returns the media section that the packet belongs to.
    package func mid(in packet: UnsafeRawBufferPointer) -> MID? { Self.bytes(mid, packet).flatMap(MID.init(bytes:)) }
    /// Returns the encoding of a track that the packet belongs to.
    package func rid(in packet: UnsafeRawBufferPointer) -> RID? { Self.bytes(rid, packet).flatMap(RID.init(bytes:)) }
    /// Returns the encoding that the packet repairs.
    package func repairedRID(in packet: UnsafeRawBufferPointer) -> RID? {
        Self.bytes(repairedRID, packet).flatMap(RID.init(bytes:))
    }
    /// Returns the data of the packet's dependency descriptor.
    @inline(__always)
    package func dependencyDescriptor(in packet: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        Self.bytes(dependencyDescriptor, packet)
    }

    private mutating func note(
        _ kind: RTPExtensionKind, _ element: RTPHeaderExtension, _ packet: UnsafeRawBufferPointer
    ) {
        // The iterator only returns elements that lie within the packet.
        let data = UnsafeRawBufferPointer(
            start: packet.baseAddress.unsafelyUnwrapped + element.offset, count: element.length)
        switch kind {
        case .audioLevel: if audioLevel == nil { audioLevel = AudioLevel(parsing: data) }
        case .transportWideCC: if transportSequence == nil { transportSequence = TransportSequence(parsing: data) }
        case .absSendTime: if sendTime == nil { sendTime = AbsoluteSendTime(parsing: data) }
        case .absCaptureTime: if captureTime == nil { captureTime = AbsoluteCaptureTime(parsing: data) }
        case .playoutDelay: if playoutDelay == nil { playoutDelay = PlayoutDelay(parsing: data) }
        case .videoOrientation: if videoOrientation == nil { videoOrientation = VideoOrientation(parsing: data) }
        case .mid: Self.note(&mid, element)
        case .rid: Self.note(&rid, element)
        case .repairedRID: Self.note(&repairedRID, element)
        case .dependencyDescriptor: Self.note(&dependencyDescriptor, element)
        }
    }

    private static func note(_ data: inout Data, _ element: RTPHeaderExtension) {
        guard !data.isPresent else { return }
        data = Data(
            offset: UInt32(truncatingIfNeeded: element.offset), length: UInt8(truncatingIfNeeded: element.length))
    }

    private static func bytes(_ data: Data, _ packet: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let start = Int(data.offset)
        let end = start &+ Int(data.length)
        guard data.isPresent, end <= packet.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: packet[start..<end])
    }
}
