#if arch(x86_64)
    import CIPSecMB

    /// Back end that uses libipsec-mb: the library's manager and the arrays of a burst, allocated once.
    ///
    /// Counter mode takes two passes, a burst of ciphers and then a burst of hashes, whose lanes process up to 16 packets in one
    /// instruction stream. GCM does not benefit from bursts and is called directly.
    struct MultiBufferBurst {
        private let manager: UnsafeMutablePointer<IMB_MGR>
        private let jobs: UnsafeMutablePointer<IMB_JOB>
        private let counterBlocks: UnsafeMutableRawPointer
        private let tags: UnsafeMutablePointer<UInt8>
        private let finished: UnsafeMutablePointer<FinishedTag>
        /// Separate from the counter blocks, because GCM jobs run while the burst of counter mode is still being filled.
        private let nonce: UnsafeMutablePointer<UInt8>
        private let gcmScratch: UnsafeMutablePointer<gcm_context_data>

        /// Destination of a slot's tag.
        private struct FinishedTag {
            var tag: UnsafeMutablePointer<UInt8>
            var length: UInt32
        }

        /// Number of jobs in one burst: the maximum of the library (`IMB_MAX_BURST_SIZE`), since lanes run empty at the end of each burst.
        private static let capacity = 128
        /// The library writes 12 bytes of HMAC-SHA1, whatever the tag length; slots are 16 bytes apart.
        private static let tagStride = 16
        /// Length of the eleven round keys of AES-128 in bytes.
        private static let roundKeysSize = 176

        /// Returns nil if the library has no implementation for this CPU.
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

        /// Bytes of key material behind an `EgressContext`.
        static func materialSize(of suite: SRTPSuite) -> Int {
            suite.isAEAD ? MemoryLayout<gcm_key_data>.size : roundKeysSize
        }

        func prepare(_ context: UnsafeMutablePointer<EgressContext>, cipherKey: [UInt8]) {
            let material = Self.material(context)
            if context.pointee.suite.isAEAD {
                millrace_imb_gcm_prepare(manager, cipherKey, material.assumingMemoryBound(to: gcm_key_data.self))
                return
            }
            withUnsafeTemporaryAllocation(byteCount: Self.roundKeysSize, alignment: 16) { decryption in
                millrace_imb_expand_key(manager, cipherKey, material, decryption.baseAddress!)
            }
        }

        @inline(__always)
        private static func material(_ context: UnsafeMutablePointer<EgressContext>) -> UnsafeMutableRawPointer {
            UnsafeMutableRawPointer(context) + EgressContext.materialOffset
        }

        func protect(_ batch: UnsafeMutablePointer<ProtectJob>, count: Int) {
            var filled = 0
            for job in UnsafeBufferPointer(start: batch, count: count) {
                if job.context.pointee.suite.isAEAD {
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
            job.context.pointee.salt.writeNonce(ssrc: job.ssrc, index: job.index, to: nonce)
            millrace_imb_gcm_encrypt(
                manager, Self.material(job.context).assumingMemoryBound(to: gcm_key_data.self), gcmScratch, payload,
                job.source, UInt64(job.payloadLength), nonce, job.destination, UInt64(job.headerLength),
                payload + Int(job.payloadLength))
        }

        @inline(__always)
        private func fill(_ job: ProtectJob, slot: Int) {
            let context = job.context
            let length = Int(job.headerLength) + Int(job.payloadLength)
            let tag = job.destination + length
            context.pointee.salt.writeCounterBlock(ssrc: job.ssrc, index: job.index, to: counterBlocks + slot * 16)
            // The ROC is appended to the packet for authentication (RFC 3711 section 4.2). It is then overwritten by the tag, which is at
            // least as long.
            let rolloverCounter = UInt32(truncatingIfNeeded: job.index >> 16)
            UnsafeMutableRawPointer(tag).storeBytes(of: rolloverCounter.bigEndian, as: UInt32.self)
            let hmac = UnsafeRawPointer(context) + MemoryLayout<EgressContext>.offset(of: \.hmac)!
            millrace_imb_cm_job(
                jobs + slot, Self.material(context), hmac, hmac + MemoryLayout<SHA1State>.stride, job.source,
                job.destination, job.headerLength, job.payloadLength, UInt32(length + 4))
            finished[slot] = FinishedTag(tag: tag, length: context.pointee.tagLength)
        }

        private func run(_ count: Int) {
            let completed = millrace_imb_cm_run(manager, jobs, UInt32(count))
            precondition(completed == UInt32(count), "libipsec-mb did not complete all jobs")
            for slot in 0..<count {
                let from = UnsafeRawPointer(tags + slot * Self.tagStride)
                let to = UnsafeMutableRawPointer(finished[slot].tag)
                // Copies 4 or 10 bytes as whole words: a call to `memcpy` would cost as much as filling the job.
                to.storeBytes(of: from.loadUnaligned(as: UInt32.self), as: UInt32.self)
                if finished[slot].length == 10 {
                    to.storeBytes(
                        of: from.loadUnaligned(fromByteOffset: 2, as: UInt64.self), toByteOffset: 2, as: UInt64.self)
                }
            }
        }
    }
#endif
