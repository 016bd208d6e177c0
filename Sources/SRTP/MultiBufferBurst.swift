#if arch(x86_64)
    import CIPSecMB

    /// The back-end over libipsec-mb: the library's manager and the arrays that a burst fills, allocated once.
    ///
    /// Counter mode goes in two passes, a burst of ciphers and then a burst of hashes, whose lanes run up to 16 packets in
    /// one instruction stream. GCM gains nothing from a burst and is called directly.
    struct MultiBufferBurst {
        private let manager: UnsafeMutablePointer<IMB_MGR>
        private let jobs: UnsafeMutablePointer<IMB_JOB>
        private let counterBlocks: UnsafeMutableRawPointer
        private let tags: UnsafeMutablePointer<UInt8>
        private let finished: UnsafeMutablePointer<FinishedTag>
        /// Apart from the counter blocks: GCM jobs run while the burst of counter mode is still being filled.
        private let nonce: UnsafeMutablePointer<UInt8>
        private let gcmScratch: UnsafeMutablePointer<gcm_context_data>

        /// Where the tag of a slot goes.
        private struct FinishedTag {
            var tag: UnsafeMutablePointer<UInt8>
            var length: UInt32
        }

        /// Jobs of one burst: the most that the library takes (`IMB_MAX_BURST_SIZE`), as the lanes run dry once a burst.
        private static let capacity = 128
        /// HMAC-SHA1 gives 12 bytes, whatever the suite keeps of them; slots are 16 apart.
        private static let tagStride = 16
        /// Eleven round keys of AES-128.
        private static let roundKeysSize = 176

        /// Nil where the library has nothing for this CPU.
        init?() {
            guard millrace_imb_available() != 0, let manager = millrace_imb_new() else { return nil }
            self.manager = manager
            jobs = .allocate(capacity: Self.capacity)
            UnsafeMutableRawPointer(jobs).initializeMemory(
                as: UInt8.self, repeating: 0, count: Self.capacity * MemoryLayout<IMB_JOB>.stride)
            counterBlocks = .allocate(byteCount: Self.capacity * 16, alignment: 64)
            tags = .allocate(capacity: Self.capacity * Self.tagStride)
            finished = .allocate(capacity: Self.capacity)
            nonce = .allocate(capacity: 16)
            gcmScratch = .allocate(capacity: 1)
            for slot in 0..<Self.capacity {
                millrace_imb_cm_slot(jobs + slot, counterBlocks + slot * 16, tags + slot * Self.tagStride)
            }
        }

        func deallocate() {
            millrace_imb_free(manager)
            jobs.deallocate()
            counterBlocks.deallocate()
            tags.deallocate()
            finished.deallocate()
            nonce.deallocate()
            gcmScratch.deallocate()
        }

        /// Bytes of key material behind an `EgressLeg`.
        static func materialSize(of suite: SRTPSuite) -> Int {
            suite.isAEAD ? MemoryLayout<gcm_key_data>.size : roundKeysSize
        }

        func prepare(_ leg: UnsafeMutablePointer<EgressLeg>, cipherKey: [UInt8]) {
            let material = Self.material(leg)
            if leg.pointee.suite.isAEAD {
                millrace_imb_gcm_prepare(manager, cipherKey, material.assumingMemoryBound(to: gcm_key_data.self))
                return
            }
            withUnsafeTemporaryAllocation(byteCount: Self.roundKeysSize, alignment: 16) { decryption in
                millrace_imb_expand_key(manager, cipherKey, material, decryption.baseAddress!)
            }
        }

        @inline(__always)
        private static func material(_ leg: UnsafeMutablePointer<EgressLeg>) -> UnsafeMutableRawPointer {
            UnsafeMutableRawPointer(leg) + EgressLeg.materialOffset
        }

        func protect(_ batch: UnsafeMutablePointer<ProtectJob>, count: Int) {
            var filled = 0
            for job in UnsafeBufferPointer(start: batch, count: count) {
                if job.leg.pointee.suite.isAEAD {
                    seal(job)
                    continue
                }
                fill(job, slot: filled)
                filled += 1
                if filled == Self.capacity {
                    run(filled)
                    filled = 0
                }
            }
            if filled > 0 { run(filled) }
        }

        @inline(__always)
        private func seal(_ job: ProtectJob) {
            let payload = job.destination + Int(job.headerLength)
            job.leg.pointee.salt.writeNonce(ssrc: job.ssrc, index: job.index, to: nonce)
            millrace_imb_gcm_encrypt(
                manager, Self.material(job.leg).assumingMemoryBound(to: gcm_key_data.self), gcmScratch, payload,
                job.source, UInt64(job.payloadLength), nonce, job.destination, UInt64(job.headerLength),
                payload + Int(job.payloadLength))
        }

        @inline(__always)
        private func fill(_ job: ProtectJob, slot: Int) {
            let leg = job.leg
            let length = Int(job.headerLength) + Int(job.payloadLength)
            let tag = job.destination + length
            leg.pointee.salt.writeCounterBlock(ssrc: job.ssrc, index: job.index, to: counterBlocks + slot * 16)
            // The ROC is authenticated behind the packet (RFC 3711 section 4.2); the tag, at least as long, takes its place.
            let rolloverCounter = UInt32(truncatingIfNeeded: job.index >> 16)
            UnsafeMutableRawPointer(tag).storeBytes(of: rolloverCounter.bigEndian, as: UInt32.self)
            let hmac = UnsafeRawPointer(leg) + MemoryLayout<EgressLeg>.offset(of: \.hmac)!
            millrace_imb_cm_job(
                jobs + slot, Self.material(leg), hmac, hmac + MemoryLayout<SHA1State>.stride, job.source,
                job.destination, job.headerLength, job.payloadLength, UInt32(length + 4))
            finished[slot] = FinishedTag(tag: tag, length: leg.pointee.tagLength)
        }

        private func run(_ count: Int) {
            let completed = millrace_imb_cm_run(manager, jobs, UInt32(count))
            precondition(completed == UInt32(count), "every field of a job is set by us")
            for slot in 0..<count {
                let from = UnsafeRawPointer(tags + slot * Self.tagStride)
                let to = UnsafeMutableRawPointer(finished[slot].tag)
                // 4 or 10 bytes as whole words: a call to copy them would cost as much as filling the job.
                to.storeBytes(of: from.loadUnaligned(as: UInt32.self), as: UInt32.self)
                if finished[slot].length == 10 {
                    to.storeBytes(
                        of: from.loadUnaligned(fromByteOffset: 2, as: UInt64.self), toByteOffset: 2, as: UInt64.self)
                }
            }
        }
    }
#endif
