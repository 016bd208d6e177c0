import MediaBase

/// Elements of Matroska (RFC 9559) that WebM files and files of several tracks have in common.
extension EBMLBuffer {
    /// Opus in Matroska requires 80 ms of decoding before a seek target.
    private static let seekPreRoll: UInt64 = 80_000_000

    /// Appends the EBML head.
    /// - Parameter type: `webm` or `matroska`.
    mutating func head(_ type: String) {
        master(.ebml) { ebml in
            ebml.unsigned(.ebmlVersion, 1)
            ebml.unsigned(.ebmlReadVersion, 1)
            ebml.unsigned(.ebmlMaxIDLength, 4)
            ebml.unsigned(.ebmlMaxSizeLength, 8)
            ebml.string(.docType, type)
            // Version 4 has CodecDelay and SeekPreRoll. Version 2 suffices to read the file, for SimpleBlock.
            ebml.unsigned(.docTypeVersion, 4)
            ebml.unsigned(.docTypeReadVersion, 2)
        }
    }

    /// Appends a SeekHead, and a Void that fills the rest of `room` bytes.
    /// - Parameter elements: positions from the first byte of the segment's body.
    mutating func seekHead(_ elements: [(id: EBMLID, position: Int64)], room: Int) {
        let before = count
        master(.seekHead) { head in
            for element in elements {
                head.master(.seek) { seek in
                    var name = EBMLBuffer()
                    name.id(element.id)
                    seek.binary(.seekID, name.bytes)
                    seek.unsigned(.seekPosition, UInt64(element.position), width: 8)
                }
            }
        }
        void(total: room - (count - before))
    }

    /// Appends the elements of a track entry that describe Opus.
    mutating func opus(channels: Int, preSkip: Int) {
        string(.codecID, "A_OPUS")
        binary(.codecPrivate, OpusHead(channels: channels, preSkip: preSkip).bytes)
        unsigned(.codecDelay, UInt64(preSkip) * 1_000_000_000 / 48_000)
        unsigned(.seekPreRoll, Self.seekPreRoll)
        master(.audio) { settings in
            settings.float64(.samplingFrequency, 48_000)
            settings.unsigned(.channels, UInt64(channels))
        }
    }

    /// Appends a Projection: the rotation that players apply.
    mutating func projection(_ rotation: Rotation) {
        master(.projection) { projection in
            projection.unsigned(.projectionType, 0)
            projection.float32(.projectionPoseRoll, rotation.projectionRoll)
        }
    }
}
