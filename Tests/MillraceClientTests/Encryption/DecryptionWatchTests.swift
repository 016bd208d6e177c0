import MediaBase
import Testing

@testable import MillraceClient

@Suite("E2E-1 reports of frames that cannot be decrypted") struct DecryptionWatchTests {
    @Test("Five failed frames in a row are reported once; video is switched off after 3 s")
    func fast() {
        var watch = DecryptionWatch()
        var actions: [(Int64, DecryptionWatch.Action)] = []
        for frame in Int64(0)..<200 {
            if let action = watch.failed(.wrongSecret, now: .milliseconds(frame * 20)) {
                actions.append((frame, action))
            }
        }
        #expect(actions.map(\.0) == [4, 150])
        #expect(actions.map(\.1) == [.report(.wrongSecret), .stopVideo])
    }

    @Test("Keys that participants agree on are missed after 3 s only, and the video is switched off after the report")
    func agreed() {
        var watch = DecryptionWatch()
        var actions: [Int64: DecryptionWatch.Action] = [:]
        for frame in Int64(0)..<300 {
            actions[frame] = watch.failed(.noSecret, isAgreed: true, now: .milliseconds(frame * 20))
        }
        #expect(actions == [150: .report(.noSecret), 151: .stopVideo])
        var other = DecryptionWatch()
        let forged = (0..<5).map { other.failed(.wrongSecret, isAgreed: true, now: .milliseconds(Int64($0) * 20)) }
        #expect(forged.last == .report(.wrongSecret))
    }

    @Test("Fewer failed frames are reported after 1 s, and another reason is reported again")
    func slow() {
        var watch = DecryptionWatch()
        #expect(watch.failed(.noSecret, now: .zero) == nil)
        #expect(watch.failed(.noSecret, now: .milliseconds(600)) == nil)
        #expect(watch.failed(.noSecret, now: .milliseconds(1_200)) == .report(.noSecret))
        #expect(watch.failed(.noSecret, now: .milliseconds(1_800)) == nil)
        #expect(watch.failed(.wrongSecret, now: .milliseconds(2_400)) == .report(.wrongSecret))
    }
}
