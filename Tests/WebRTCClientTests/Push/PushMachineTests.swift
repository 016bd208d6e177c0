import MediaBase
import Testing
import WebRTCClient

@Suite("LIV-1 rules of a WHIP push") struct PushMachineTests {
    private typealias Bench = PushBench

    /// Returns a bench whose push is live.
    private func live() -> PushBench {
        var bench = PushBench()
        bench.start()
        bench.accept()
        bench.connect()
        _ = bench.takeLog()
        return bench
    }

    @Test("An offer, an answer and a connection; the resource is deleted at the end")
    func course() {
        var bench = PushBench()
        bench.start()
        #expect(bench.takeLog() == ["connect", "post \(Bench.url)"])
        bench.accept()
        #expect(bench.takeLog() == ["accept"] && bench.reports == [])
        bench.connect()
        #expect(bench.reports == [.live] && bench.machine.isLive)
        bench.stop()
        #expect(bench.takeLog() == ["disconnect", "delete \(Bench.resource)"] && !bench.machine.isEnded)
        bench.answerDeletion()
        #expect(bench.machine.isEnded && bench.machine.deadline == .never && bench.faults == 0)
    }

    @Test("A server that is stopped and started again gets a new resource; waits grow from 1 to 30 s")
    func restartedServer() throws {
        var bench = live()
        bench.pass(.seconds(60))
        bench.fail()
        #expect(bench.takeLog() == ["disconnect", "delete \(Bench.resource)"])
        // The server is gone, so the deletion fails.
        bench.answerDeletion(.failure(.unreachable("refused")))
        var waits: [Double] = []
        for _ in 0..<8 {
            waits.append(bench.wait.seconds)
            bench.pass(bench.wait)
            #expect(bench.takeLog() == ["connect", "post \(Bench.url)"])
            bench.answerPost(.failure(.unreachable("refused")))
            #expect(bench.takeLog() == ["disconnect"])
        }
        for (wait, base) in zip(waits, [1.0, 2, 4, 8, 16, 30, 30, 30]) {
            #expect((base...min(base * 1.25, 30)).contains(wait), "\(waits)")
        }
        #expect(bench.reports.count == 10 && !bench.machine.isLive)
        bench.pass(bench.wait)
        bench.accept()
        bench.connect()
        #expect(bench.reports.last == .live && bench.faults == 0)
        // A connection that has lasted starts the waits again.
        bench.pass(.seconds(10))
        bench.fail()
        bench.answerDeletion()
        #expect(bench.wait < .milliseconds(1_251))
    }

    @Test("A server that closes each connection at once is not called each second")
    func flapping() {
        var bench = live()
        for _ in 0..<5 {
            bench.pass(.seconds(1))
            bench.fail()
            bench.answerDeletion()
            bench.pass(bench.wait)
            bench.accept()
            bench.connect()
        }
        bench.fail()
        bench.answerDeletion()
        #expect(bench.wait >= .seconds(30))
    }

    @Test("The next offer waits for the deletion of the previous resource")
    func slowDeletion() {
        var bench = live()
        bench.fail()
        _ = bench.takeLog()
        #expect(bench.machine.deadline == .never)
        bench.pass(.seconds(5))
        #expect(bench.takeLog() == [])
        bench.answerDeletion()
        #expect(bench.takeLog() == ["connect", "post \(Bench.url)"])
    }

    @Test("307 is followed once, with the same offer")
    func redirection() {
        var bench = PushBench()
        bench.start()
        _ = bench.takeLog()
        bench.answerPost(.success(PushAnswer(status: 307, location: "https://other.example/w")))
        #expect(bench.takeLog() == ["post https://other.example/w"])
        bench.answerPost(.success(PushAnswer(status: 307, location: "https://third.example/w")))
        #expect(bench.takeLog() == ["disconnect"] && bench.machine.isEnded)
        #expect(bench.reports == [.failed(.refused(status: 307, retryAfter: nil), retryIn: nil)])
        // Without a destination the server may be repaired.
        var other = PushBench()
        other.start()
        other.answerPost(.success(PushAnswer(status: 307)))
        #expect(!other.machine.isEnded && other.reports.count == 1)
    }

    @Test(
        "Refusals that a repetition cannot change end the push",
        arguments: [400, 401, 403, 405, 406, 415, 422, 501, 302])
    func finalRefusal(status: Int) {
        var bench = PushBench()
        bench.start()
        bench.answerPost(.success(PushAnswer(status: status)))
        #expect(bench.machine.isEnded && !bench.hasConnection)
        #expect(bench.reports == [.failed(.refused(status: status, retryAfter: nil), retryIn: nil)])
    }

    @Test("Other refusals are repeated, after the server's Retry-After", arguments: [404, 409, 429, 500, 503])
    func refusal(status: Int) {
        var bench = PushBench()
        bench.start()
        bench.answerPost(.success(PushAnswer(status: status, retryAfter: .seconds(7))))
        #expect(bench.wait == .seconds(7))
        bench.pass(bench.wait)
        bench.answerPost(.success(PushAnswer(status: status, retryAfter: .seconds(86_400))))
        #expect(bench.wait == .seconds(30) && !bench.machine.isEnded)
    }

    @Test("An answer that cannot be used, and a refused codec: the resource is deleted")
    func unusableAnswer() {
        var bench = PushBench()
        bench.start()
        bench.accept()
        _ = bench.takeLog()
        bench.fail(.unusableAnswer("no DTLS"))
        #expect(bench.takeLog() == ["disconnect", "delete \(Bench.resource)"] && !bench.machine.isEnded)
        bench.answerDeletion()
        bench.pass(bench.wait)
        bench.accept()
        _ = bench.takeLog()
        bench.fail(.codecRefused(.h264))
        #expect(bench.takeLog() == ["disconnect", "delete \(Bench.resource)"])
        bench.answerDeletion()
        #expect(bench.machine.isEnded && bench.reports.last == .failed(.codecRefused(.h264), retryIn: nil))
    }

    @Test("Stopped while the offer is posted: waits for the answer, and deletes the resource")
    func stopWhilePosting() {
        var bench = PushBench()
        bench.start()
        bench.stop()
        #expect(!bench.machine.isEnded)
        _ = bench.takeLog()
        bench.accept()
        #expect(bench.takeLog() == ["disconnect", "delete \(Bench.resource)"])
        bench.answerDeletion(.failure(.unreachable("timeout")))
        #expect(bench.machine.isEnded && bench.reports == [])

        var refused = PushBench()
        refused.start()
        refused.stop()
        refused.answerPost(.failure(.unreachable("timeout")))
        #expect(refused.machine.isEnded && refused.reports == [] && !refused.hasConnection)

        var redirected = PushBench()
        redirected.start()
        redirected.stop()
        redirected.answerPost(.success(PushAnswer(status: 307, location: "https://other.example/")))
        #expect(redirected.machine.isEnded && redirected.posts.isEmpty)
    }

    @Test("Stopped before the start, while connecting, while waiting, and twice")
    func stopInOtherStates() {
        var idle = PushBench()
        idle.stop()
        idle.start()
        #expect(idle.takeLog() == [] && idle.machine.isEnded)

        var connecting = PushBench()
        connecting.start()
        connecting.accept()
        connecting.stop()
        connecting.answerDeletion()
        #expect(connecting.machine.isEnded)

        var waiting = live()
        waiting.fail()
        waiting.stop()
        waiting.stop()
        #expect(!waiting.machine.isEnded, "the deletion is in progress")
        waiting.answerDeletion()
        #expect(waiting.machine.isEnded)
        waiting.pass(.seconds(100))
        waiting.connect()
        waiting.fail()
        #expect(waiting.takeLog() == ["disconnect", "delete \(Bench.resource)"] && waiting.reports.count == 2)
    }

    @Test("A stream with another codec or track gets a new offer, without a failure")
    func renewal() {
        var bench = live()
        bench.machine.renew(now: bench.now)
        #expect(bench.takeLog() == ["disconnect", "delete \(Bench.resource)"])
        bench.answerDeletion()
        bench.pass(bench.wait)
        #expect(bench.takeLog() == ["connect", "post \(Bench.url)"])
        // It changes again while the offer is posted.
        bench.machine.renew(now: bench.now)
        bench.accept()
        #expect(bench.takeLog() == ["disconnect", "delete \(Bench.resource)"])
        bench.answerDeletion()
        bench.pass(bench.wait)
        bench.accept()
        bench.connect()
        #expect(bench.reports == [.live, .live] && bench.faults == 0)
    }

    @Test("An offer that cannot be made is tried again; the answer of an abandoned call has no effect")
    func localFailure() {
        var bench = PushBench()
        bench.machine.start()
        bench.machine.failed(.local("no memory"), now: bench.now)
        bench.settle()
        #expect(bench.reports.count == 1 && !bench.machine.isEnded)
        bench.accept()
        let log = bench.takeLog()
        #expect(!log.contains("accept"))
    }
}
