import Forwarding
import MediaBase
import Testing

@Suite("Rate that publishers without transport-wide feedback may send")
struct UplinkAllowanceTests {
    private func allowance() -> UplinkAllowance {
        UplinkAllowance(start: .kilobits(1_000), minimum: .kilobits(50), maximum: .kilobits(5_000))
    }

    @Test("On a clean path twice the incoming rate is allowed, up to the limit")
    func grows() {
        var allowance = allowance()
        var allowed = Bitrate.kilobits(1_000)
        for _ in 0..<60 { allowed = allowance.update(received: allowed, loss: 0) }
        #expect(allowed == .kilobits(5_000))
        var still = self.allowance()
        for _ in 0..<60 { allowed = still.update(received: .kilobits(700), loss: 0) }
        #expect(allowed == .kilobits(1_400))
    }

    @Test("Heavy loss lowers it to near the incoming rate at once; slight loss does not change it")
    func falls() {
        var allowance = allowance()
        #expect(allowance.update(received: .kilobits(1_000), loss: 0.05) == .kilobits(1_000))
        let allowed = allowance.update(received: .kilobits(500), loss: 0.5)
        #expect(allowed >= .kilobits(500) && allowed <= .kilobits(800))
        for _ in 0..<20 { _ = allowance.update(received: .kilobits(10), loss: 0.9) }
        #expect(allowance.update(received: .kilobits(10), loss: 0.9) == .kilobits(300))
    }

    @Test("Implausible input stays within the limits", arguments: [Int64.min, -1, 0, .max])
    func bounds(received: Int64) {
        var allowance = allowance()
        for loss in [-1.0, 0, 0.5, 1, 7] {
            let allowed = allowance.update(received: Bitrate(rawValue: received), loss: loss)
            #expect(allowed >= .kilobits(300) && allowed <= .kilobits(5_000))
        }
    }
}
