import CLinuxNet
import SRTP

extension Doctor {
    /// Reports the processor's instructions for ciphers, the implementation that the relay uses, and its cost per
    /// packet.
    func crypto() -> [DoctorFinding] {
        [instructions] + SRTPSuite.allCases.filter { $0 != .aesCM128HMACSHA1_32 }.map(measure)
    }

    private var instructions: DoctorFinding {
        let lines = (Self.kernelFile("/proc/cpuinfo") ?? "").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("flags") || $0.hasPrefix("Features") } ?? ""
        let flags = Set((line.split(separator: ":").last ?? "").split(separator: " ").map(String.init))
        #if arch(x86_64)
            let wanted = [
                ("AES", "aes"), ("VAES", "vaes"), ("VPCLMULQDQ", "vpclmulqdq"), ("SHA", "sha_ni"), ("AVX2", "avx2"),
                ("AVX-512", "avx512f"),
            ]
        #else
            let wanted = [("AES", "aes"), ("PMULL", "pmull"), ("SHA-1", "sha1"), ("SHA-2", "sha2")]
        #endif
        let text = wanted.map { name, flag in flags.contains(flag) ? name : "no \(name)" }.joined(separator: ", ")
        if flags.contains("aes") { return DoctorFinding("cpu", .ok, text) }
        return DoctorFinding(
            "cpu", .warn, text,
            advice:
                "without AES instructions encryption costs several times as much; in a virtual machine pass the host CPU through"
        )
    }

    private func measure(_ suite: SRTPSuite) -> DoctorFinding {
        let wanted: FanoutProtector.Backend =
            switch configuration.mediaProtection {
            case .automatic: .automatic
            case .evp: .evp
            case .multiBuffer: .multiBuffer
            }
        let protector = FanoutProtector(wanted)
        let name = "crypto \(suite == .aeadAES128GCM ? "gcm" : "cm")"
        let cost = Self.nanosecondsAPacket(protector, suite: suite)
        let text = "\(suite.sdesName) by \(protector.backend.rawValue): \(cost) ns a packet of 1200 bytes"
        if wanted == .multiBuffer, protector.backend != .multiBuffer {
            return DoctorFinding(
                name, .fail, text, advice: "media.protection asks for multiBuffer; this machine has none")
        }
        if cost > 5_000 {
            return DoctorFinding(
                name, .warn, text, advice: "one worker will encrypt fewer than 200,000 packets a second")
        }
        return DoctorFinding(name, .ok, text)
    }

    /// Measures the cost of protecting packets for 16 subscribers, as the fan-out does, for about 50 ms.
    private static func nanosecondsAPacket(_ protector: borrowing FanoutProtector, suite: SRTPSuite) -> Int64 {
        let contexts = (0..<16).map { _ in protector.makeContext(key: .random(for: suite)) }
        defer { for context in contexts { protector.freeContext(context) } }
        let payloadLength = 1_200
        let headerLength = 12
        let size = headerLength + payloadLength + suite.tagLength
        let payload = UnsafeMutablePointer<UInt8>.allocate(capacity: payloadLength)
        let slab = UnsafeMutablePointer<UInt8>.allocate(capacity: size * contexts.count)
        let jobs = UnsafeMutablePointer<ProtectJob>.allocate(capacity: contexts.count)
        defer {
            payload.deallocate()
            slab.deallocate()
            jobs.deallocate()
        }
        payload.initialize(repeating: 0x5a, count: payloadLength)
        slab.initialize(repeating: 0x80, count: size * contexts.count)

        var packets: Int64 = 0
        var index: UInt64 = 0
        let start = millrace_thread_cpu_ns()
        var now = start
        repeat {
            for _ in 0..<20 {
                for (i, context) in contexts.enumerated() {
                    jobs[i] = ProtectJob(
                        context: context, ssrc: UInt32(i + 1), index: index, source: payload,
                        destination: slab + i * size,
                        headerLength: UInt32(headerLength), payloadLength: UInt32(payloadLength))
                }
                protector.protect(jobs, count: contexts.count)
                index += 1
                packets += Int64(contexts.count)
            }
            now = millrace_thread_cpu_ns()
        } while now - start < 50_000_000
        return (now - start) / packets
    }
}
