import MediaBase

extension MediaSection {
    /// Codecs in the order of the m-line. Payload types 64 to 95 are left out, because rtcp-mux would take them for RTCP (RFC 5761
    /// section 4).
    var codecs: [RTPCodec] {
        var order: [UInt8] = []
        var codecs: [UInt8: RTPCodec] = [:]
        for format in formats where order.count < 128 {
            guard let number = format.decimal(as: UInt8.self), number < 128, !PayloadType(number).isTakenForRTCP,
                codecs[number] == nil
            else { continue }
            order.append(number)
            codecs[number] = RTPCodec(
                payloadType: PayloadType(number), name: "", clockRate: 0, channels: 1, parameters: [:], feedback: [])
        }
        var feedbackOfAll: TrackDescription.Feedback = []
        for line in lines {
            guard line.name == "rtpmap" || line.name == "fmtp" || line.name == "rtcp-fb",
                let (format, rest) = line.value?.halves(" ")
            else { continue }
            if line.name == "rtcp-fb", format == "*" {
                feedbackOfAll.formUnion(Self.feedback(rest))
            } else if let number = format.decimal(as: UInt8.self), codecs[number] != nil {
                switch line.name {
                case "rtpmap": codecs[number]?.map(rest)
                case "fmtp": codecs[number]?.parameters.merge(Self.parameters(rest)) { first, _ in first }
                default: codecs[number]?.feedback.formUnion(Self.feedback(rest))
                }
            }
        }
        return order.compactMap { number in
            codecs[number]?.feedback.formUnion(feedbackOfAll)
            return codecs[number]
        }
    }

    /// Returns the RTCP feedback message that the line names, if it is supported (RFC 4585 section 4.2, RFC 5104 section 7.1).
    private static func feedback(_ text: String) -> TrackDescription.Feedback {
        switch text.fields().map({ $0.lowercased() }) {
        case ["nack"]: .nack
        case ["nack", "pli"]: .pli
        case ["ccm", "fir"]: .fir
        case ["transport-cc"]: .transportCC
        case ["goog-remb"]: .remb
        default: []
        }
    }

    /// Parses for example `minptime=10; useinbandfec=1`; a parameter without a value gets an empty one.
    private static func parameters(_ text: String) -> [String: String] {
        var parameters: [String: String] = [:]
        for part in text.fields(";") {
            // Blanks around names are common and have no meaning.
            guard let word = part.fields().first else { continue }
            let (name, value) = word.halves("=") ?? (String(word), "")
            parameters[name.lowercased()] = value
        }
        return parameters
    }

    /// Returns the codecs supported for the section's kind, each with the payload types of its retransmissions (RFC 4588 section 8.6) and
    /// of redundant audio (RFC 2198 section 5), in the order of the m-line.
    /// - Parameter allowed: video codecs to consider.
    func usableCodecs(_ allowed: [VideoCodec]) -> [CodecDescription] {
        guard let kind, isSecureRTP else { return [] }
        let codecs = codecs
        var repairs: [UInt8: RTPCodec] = [:]
        for codec in codecs where codec.name == "rtx" {
            guard let repaired = codec.parameters["apt"]?.decimal(as: UInt8.self), repairs[repaired] == nil else {
                continue
            }
            repairs[repaired] = codec
        }
        let redundant = Dictionary(
            codecs.compactMap { codec in codec.repeated.map { ($0, codec.payloadType) } },
            uniquingKeysWith: { first, _ in first })
        return codecs.filter { $0.carries(kind, allowed) }.map { codec in
            let rtx = repairs[codec.payloadType.rawValue].flatMap { $0.clockRate == codec.clockRate ? $0 : nil }
            return CodecDescription(
                video: kind == .video ? codec.video : nil, payloadType: codec.payloadType,
                rtxPayloadType: rtx?.payloadType,
                redPayloadType: kind == .audio ? redundant[codec.payloadType.rawValue] : nil,
                parameters: codec.agreedParameters, feedback: codec.feedback, parameterSets: codec.parameterSets)
        }
    }

    /// Returns the first of the usable codecs.
    func preferredCodec(_ allowed: [VideoCodec]) -> CodecDescription? { usableCodecs(allowed).first }
}

extension RTPCodec {
    /// Sets name, clock rate and channels from for example `opus/48000/2` (RFC 8866 section 6.6).
    fileprivate mutating func map(_ text: String) {
        let parts = (text.fields().first ?? "").fields("/")
        guard name.isEmpty, parts.count >= 2, let rate = parts[1].decimal(as: UInt32.self) else { return }
        name = parts[0].lowercased()
        clockRate = rate
        channels = parts.count > 2 ? parts[2].decimal(as: UInt8.self) ?? 1 : 1
    }
}

extension PayloadType {
    /// Whether a receiver with rtcp-mux takes packets of this type for RTCP (RFC 5761 section 4).
    var isTakenForRTCP: Bool { (64...95).contains(rawValue) }
}
