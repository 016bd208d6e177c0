import MediaBase
import Testing

@testable import Recording

@Suite struct AudioSequencerTests {
    private func packet(_ sequence: Int64, at milliseconds: Int64 = 0) -> AudioSequencer.Packet {
        AudioSequencer.Packet(
            sequence: sequence, timestamp: sequence * 960, arrival: .milliseconds(milliseconds), bytes: [0])
    }

    private func drain(_ sequencer: inout AudioSequencer) -> [Int64] {
        var all: [Int64] = []
        while let packet = sequencer.nextPacket() { all.append(packet.sequence) }
        return all
    }

    @Test(arguments: [Int64(0), 32_767, 65_534, -3])
    func latePacketsAreWrittenInOrder(first: Int64) {
        var sequencer = AudioSequencer()
        for offset: Int64 in [0, 2, 3, 1, 5, 4] { sequencer.insert(packet(first + offset)) }
        #expect(drain(&sequencer) == (0...5).map { first + $0 })
        #expect(sequencer.lostPackets == 0 && sequencer.gaps == 0)
    }

    @Test func holesAreGivenUpInTime() {
        var sequencer = AudioSequencer(maximumWait: .milliseconds(100))
        sequencer.insert(packet(0))
        sequencer.insert(packet(3, at: 10))
        #expect(sequencer.nextTimeout == .milliseconds(110))
        sequencer.handleTimeout(now: .milliseconds(109))
        #expect(drain(&sequencer) == [0])
        sequencer.handleTimeout(now: .milliseconds(110))
        #expect(drain(&sequencer) == [3])
        #expect(sequencer.lostPackets == 2 && sequencer.gaps == 1 && sequencer.nextTimeout == nil)
        sequencer.insert(packet(2))
        #expect(drain(&sequencer).isEmpty && sequencer.latePackets == 1)
    }

    @Test func duplicatesComeOnce() {
        var sequencer = AudioSequencer()
        for sequence: Int64 in [0, 0, 2, 2, 1, 1] { sequencer.insert(packet(sequence)) }
        #expect(drain(&sequencer) == [0, 1, 2])
        #expect(sequencer.latePackets == 3)
    }

    @Test func memoryIsBounded() {
        var sequencer = AudioSequencer(maximumWait: .seconds(1000))
        sequencer.insert(packet(0))
        for sequence in 1...1000 { sequencer.insert(packet(Int64(sequence) * 2)) }
        #expect(drain(&sequencer).count >= 1000 - 64)
        sequencer.flush()
        #expect(drain(&sequencer).count <= 64)
    }
}
