import COpenSSL

/// Receiving side of SRTP and SRTCP for a publisher's streams under one master key; confined to one thread.
///
/// Equivalent to an inbound `SRTPContext`, but without its allocations per packet. A packet is authenticated before it changes any state: a
/// forged packet changes neither the replay list nor the rollover counter nor the table of streams.
package final class IngressContext {
    package let suite: SRTPSuite
    private let salt: SessionSalt
    private let hmac: HMACSHA1
    private let cipher: OpaquePointer
    private let rtcp = SRTCPCipher()
    private let rtcpKeys: SRTCPKeys
    private var rtcpWindows = SRTCPReplayWindows()
    private let streams: UnsafeMutablePointer<RTPReplayWindow>
    private var streamCount = 0
    private let maximumStreams: Int

    /// - Parameter maximumStreams: maximum number of SSRCs; packets of any further SSRC throw `.unknownStream`.
    package convenience init(key: SRTPKey, maximumStreams: Int = 16) {
        self.init(
            key.suite, rtp: SessionKeys(key, .rtp), rtcp: SRTCPKeys(key), maximumStreams: maximumStreams)
    }

    init(_ suite: SRTPSuite, rtp keys: SessionKeys, rtcp: SRTCPKeys, maximumStreams: Int) {
        self.suite = suite
        salt = SessionSalt(keys.salt)
        hmac = HMACSHA1(key: keys.authenticationKey)
        cipher = FanoutProtector.keyedContext(suite, keys.cipherKey, encrypts: !suite.isAEAD)
        rtcpKeys = rtcp
        streams = .allocate(capacity: maximumStreams)
        self.maximumStreams = maximumStreams
    }

    deinit {
        EVP_CIPHER_CTX_free(cipher)
        for index in 0..<streamCount { streams[index].deallocate() }
        streams.deallocate()
    }

    /// Sets the initial rollover counter of `ssrc`, as signalled out of band (RFC 3711 section 3.3.1).
    package func addStream(ssrc: UInt32, rolloverCounter: UInt32) throws(SRTPFailure) {
        guard streamCount < maximumStreams, index(of: ssrc) == nil else { throw .unknownStream }
        (streams + streamCount).initialize(to: RTPReplayWindow(ssrc: ssrc, rolloverCounter: rolloverCounter))
        streamCount += 1
    }

    /// Forgets an SSRC that has ended. Its packets could be replayed from now on, so the caller must not accept the SSRC any more.
    package func removeStream(ssrc: UInt32) {
        guard let index = index(of: ssrc) else { return }
        let stream = streams + index
        stream.pointee.deallocate()
        streamCount -= 1
        let last = streams + streamCount
        if stream != last { stream.moveUpdate(from: last, count: 1) } else { stream.deinitialize(count: 1) }
    }

    /// Verifies and decrypts an RTP packet in place. If it throws, the packet must not be used, not even its header.
    ///
    /// - Parameter length: length of the packet in bytes, before and after.
    package func unprotect(_ packet: UnsafeMutableRawPointer, length: inout Int) throws(SRTPFailure) {
        var slot = -1
        try unprotect(packet, length: &length, slot: &slot)
    }

    /// The same for a caller that keeps the slot of each SSRC's state, so that many SSRCs need no search.
    ///
    /// - Parameter slot: index of the SSRC's state after its last packet; any number from 0 on before the first, and negative for a caller that
    ///   keeps none.
    package func unprotect(
        _ packet: UnsafeMutableRawPointer, length: inout Int, slot: inout Int
    ) throws(SRTPFailure) {
        let plainLength = length - suite.tagLength
        let headerLength = try Self.headerLength(packet, plainLength)
        let sequenceNumber = UInt16(bigEndian: packet.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        let ssrc = UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        let known = stream(ssrc, &slot)
        let index: UInt64
        if let known {
            guard let estimate = known.pointee.estimate(sequenceNumber) else { throw .keyExpired }
            guard !known.pointee.isReplay(estimate) else { throw .replay }
            index = estimate
        } else {
            guard streamCount < maximumStreams else { throw .unknownStream }
            index = UInt64(sequenceNumber)
        }
        if let failure = open(packet, headerLength, plainLength, ssrc, index) { throw failure }
        if let known {
            known.pointee.note(index)
        } else {
            (streams + streamCount).initialize(to: RTPReplayWindow(ssrc: ssrc))
            streams[streamCount].note(index)
            slot = streamCount
            streamCount += 1
        }
        length = plainLength
    }

    /// Verifies and decrypts an RTCP packet in place. If it throws, the packet must not be used, not even its header.
    package func unprotectRTCP(_ packet: UnsafeMutableRawPointer, length: inout Int) throws(SRTPFailure) {
        try rtcp.unprotect(packet, length: &length, keys: rtcpKeys, windows: &rtcpWindows)
    }

    @inline(__always)
    private func stream(_ ssrc: UInt32, _ slot: inout Int) -> UnsafeMutablePointer<RTPReplayWindow>? {
        if slot >= 0, slot < streamCount, streams[slot].ssrc == ssrc { return streams + slot }
        guard let index = index(of: ssrc) else { return nil }
        guard slot >= 0 else { return index < Self.near ? streams + index : movedForward(index) }
        // Not moved, because that would make the kept slot of another SSRC wrong.
        slot = index
        return streams + index
    }

    private func index(of ssrc: UInt32) -> Int? {
        for index in 0..<streamCount where streams[index].ssrc == ssrc { return index }
        return nil
    }

    private static let near = 16

    /// SSRCs that have ended are kept, because their packets could be replayed otherwise. Active SSRCs move to the front of the table.
    private func movedForward(_ index: Int) -> UnsafeMutablePointer<RTPReplayWindow> {
        let target = streams + index / 2
        swap(&target.pointee, &streams[index])
        return target
    }

    /// Returns the length of the unencrypted part: fixed header, CSRCs and header extension (RFC 3711 section 3.1).
    @inline(__always)
    private static func headerLength(_ packet: UnsafeRawPointer, _ length: Int) throws(SRTPFailure) -> Int {
        guard length >= 12 else { throw .malformed }
        let first = packet.load(as: UInt8.self)
        guard first >> 6 == 2 else { throw .malformed }
        var header = 12 + 4 * Int(first & 0x0f)
        if first & 0x10 != 0 {
            guard length >= header + 4 else { throw .malformed }
            let words = UInt16(bigEndian: packet.loadUnaligned(fromByteOffset: header + 2, as: UInt16.self))
            header += 4 + 4 * Int(words)
        }
        guard length >= header else { throw .malformed }
        return header
    }

    private func open(
        _ packet: UnsafeMutableRawPointer, _ headerLength: Int, _ plainLength: Int, _ ssrc: UInt32, _ index: UInt64
    ) -> SRTPFailure? {
        withUnsafeTemporaryAllocation(byteCount: 48, alignment: 16) { scratch in
            let iv = scratch.baseAddress!.assumingMemoryBound(to: UInt8.self)
            let bytes = packet.assumingMemoryBound(to: UInt8.self)
            let payload = bytes + headerLength
            let payloadLength = Int32(truncatingIfNeeded: plainLength - headerLength)
            var done: Int32 = 0
            guard !suite.isAEAD else {
                salt.writeNonce(ssrc: ssrc, index: index, to: iv)
                let ready =
                    EVP_DecryptInit_ex(cipher, nil, nil, nil, iv) == 1
                    && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, 16, bytes + plainLength) == 1
                    && EVP_DecryptUpdate(cipher, nil, &done, bytes, Int32(headerLength)) == 1
                    && (payloadLength == 0 || EVP_DecryptUpdate(cipher, payload, &done, payload, payloadLength) == 1)
                guard ready else { return .library }
                return EVP_DecryptFinal_ex(cipher, payload, &done) == 1 ? nil : .authentication
            }
            let digest = iv + 16
            hmac.authenticate(
                packet, count: plainLength, rolloverCounter: UInt32(truncatingIfNeeded: index >> 16), to: digest)
            guard tagsEqual(digest, packet + plainLength, count: suite.tagLength) else { return .authentication }
            salt.writeCounterBlock(ssrc: ssrc, index: index, to: iv)
            let decrypted =
                EVP_EncryptInit_ex(cipher, nil, nil, nil, iv) == 1
                && (payloadLength == 0 || EVP_EncryptUpdate(cipher, payload, &done, payload, payloadLength) == 1)
            return decrypted ? nil : .library
        }
    }
}
