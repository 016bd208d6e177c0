"""Tests of the benchmarks of whole relays (bench_*.py in tools): arguments, arithmetic, descriptions and processes. Run: python3 -m unittest discover Tests/Tools"""

import argparse
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools")]
sys.dont_write_bytecode = True

import bench_janus  # noqa: E402
import bench_million  # noqa: E402
import bench_network  # noqa: E402
import bench_peers  # noqa: E402
import bench_process  # noqa: E402

WHIP, WHEP = "http://127.0.0.1:8080/whip/{stream}", "http://127.0.0.1:8080/whep/{stream}"


def quiet(function, *arguments):
    """Returns the exit code with which a parser of arguments ends, and its message."""
    text = io.StringIO()
    try:
        with contextlib.redirect_stderr(text):
            function(*arguments)
    except SystemExit as end:
        return end.code, text.getvalue()
    return None, text.getvalue()


class PeerTests(unittest.TestCase):
    def test_an_entry_has_name_urls_processes_and_token(self):
        peer = bench_peers.peer(f"other one,{WHIP},{WHEP},12+345,secret")
        self.assertEqual((peer.name, peer.whip, peer.whep, peer.pids, peer.token), ("other one", WHIP, WHEP, [12, 345], "secret"))
        self.assertEqual(bench_peers.peer(f"a,{WHIP},{WHEP},-").pids, [])
        self.assertIsNone(bench_peers.peer(f"a,{WHIP},{WHEP},1").token)

    def test_wrong_entries_are_refused(self):
        for text in ("", f"a,{WHIP},{WHEP}", f",{WHIP},{WHEP},1", f"a,{WHIP},{WHEP},x", f"a,{WHIP},{WHEP},0", f"a,{WHIP},{WHEP},1+-2",
                     f"a,ftp://h/x,{WHEP},1", f"a,{WHIP},http:///x,1", f"Millrace,{WHIP},{WHEP},1", f"a,{WHIP},{WHEP},1,t,u"):
            with self.assertRaises(argparse.ArgumentTypeError, msg=text):
                bench_peers.peer(text)

    def test_a_peer_runs_already_or_has_a_command(self):
        runs, starts = bench_peers.peer(f"a,{WHIP},{WHEP},1"), bench_peers.peer("b,http://{address}/i,http://{address}/e,-")
        result = bench_peers.with_commands([runs, starts], ["b=relay --bind {address} --x=1"])
        self.assertEqual([each.command for each in result], [None, "relay --bind {address} --x=1"])
        here = result[1].at("10.0.0.2")
        self.assertEqual((here.whip, here.whep, here.host), ("http://10.0.0.2/i", "http://10.0.0.2/e", "10.0.0.2"))
        for peers, commands in (([starts], []), ([runs], ["a=x"]), ([runs, runs], []), ([starts], ["b"]), ([starts], ["b=x", "b=y"]),
                                ([runs], ["c=x"]), ([bench_peers.peer("b,http://{address}/i,http://{address}/e,1")], [])):
            with self.assertRaises(ValueError, msg=str((peers, commands))):
                bench_peers.with_commands(peers, commands)

    def test_several_publishers_need_names_in_both_urls(self):
        self.assertTrue(bench_peers.peer(f"a,{WHIP},{WHEP},1").takes_streams)
        self.assertFalse(bench_peers.peer(f"a,{WHIP},http://h/whep,1").takes_streams)


class LoadTests(unittest.TestCase):
    def test_loads_have_the_documented_shapes(self):
        burst, pacer, opus = bench_peers.loads(["burst", "pacer", "opus"], 7)
        self.assertEqual((burst.order()["pacing"], pacer.order()["pacing"], burst.burst * burst.rate), ("burst", "pacer", 300))
        self.assertEqual((opus.name, opus.publishers, opus.payload - opus.variation, opus.payload + opus.variation), ("7 Opus", 7, 60, 160))
        self.assertRaises(argparse.ArgumentTypeError, bench_peers.loads, ["burst", "x"], 7)

    def test_the_baseline_has_the_input_of_the_load(self):
        pacer, opus = bench_peers.loads(["pacer", "opus"], 10)
        tight, paced = bench_peers.floor_commands(pacer, 50, "gcm", 3.0, 26000, "loopback")

        def option(command, name):
            return command[command.index(name) + 1]

        self.assertEqual([option(paced, name) for name in ("--burst", "--pace", "--subs", "--cipher")], ["4", "75.0", "50", "gcm"])
        self.assertEqual((tight[0], option(tight, "--mode"), "--sink" in tight), ("./fanout_floor", "compare", False))
        # 500 packets a second, each to five of the fifty subscribers.
        _, paced = bench_peers.floor_commands(opus, 50, "cm", 3.0, 26000, "transmit")
        self.assertEqual([option(paced, name) for name in ("--burst", "--pace", "--subs", "--sink")], ["1", "500.0", "5", "none"])
        self.assertEqual(paced[:3], ["./nsdrop", "egress", "--"])

    def test_figures_of_the_baseline_are_named_after_program_and_pace(self):
        lines = '{"mode":"best","ns_median":5.5,"packets":7}\n{"mode":"portable","ns_median":9,"packets":7}\n'
        figures = bench_peers.floor_figures([lines, '{"mode":"best","ns_median":8,"packets":3}\n'])
        self.assertEqual({name: each.nanoseconds for name, each in figures.items()}, {"C best": 5.5, "C portable": 9, "C best paced": 8})


class FigureTests(unittest.TestCase):
    load = bench_peers.loads(["opus"], 2)[0]

    def state(self, cpu, time, sent, packets, dropped=None, **received):
        counts = {"packets": packets, "repairs": 0, "feedback": 0, "reports": 0, "ended": 0, "unauthentic": 0, **received}
        return bench_peers.State(({(1, 1): cpu}, {1: cpu // bench_process.TICK}), time, {"sent": sent, "ended": 0, "latest": 2.5}, counts, dropped)

    def test_cost_is_cpu_time_of_the_window_for_each_packet_that_arrived(self):
        window = (self.state(1_000_000_000, 10.0, 100, 500, feedback=5), self.state(1_400_000_000, 12.0, 200, 900, feedback=10, reports=2))
        whole = (self.state(0, 0, 0, 50), self.state(0, 0, 200, 1050, repairs=50))
        each = bench_peers.figure(window, whole, self.load, 10)
        self.assertEqual((each.nanoseconds, each.delivered, each.seconds, each.latest), (1_000_000, 400, 2.0, 2.5))
        self.assertAlmostEqual(each.cpu_share, 0.2)
        self.assertAlmostEqual(each.rtcp_rate, 3.5)
        # 200 packets of 2 publishers, each to half of the 10 subscribers; 50 of the 1,000 that arrived are retransmissions.
        self.assertAlmostEqual(each.lost, 0.05)

    def test_the_filter_counts_in_the_transmit_half(self):
        window = (self.state(0, 0.0, 0, 7, 1000), self.state(2_000_000, 1.0, 0, 7, 3000))
        whole = (self.state(0, 0, 0, 7, 0), self.state(0, 0, 800, 7, 4000))
        each = bench_peers.figure(window, whole, self.load, 10)
        self.assertEqual((each.nanoseconds, each.delivered, each.lost), (1000, 2000, 0))

    def test_a_measurement_without_packets_or_connections_fails(self):
        good = [self.state(0, 0.0, 0, 0), self.state(0, 1.0, 10, 50)]
        for bad in (self.state(0, 1.0, 10, 0), self.state(0, 1.0, 10, 50, ended=1), self.state(0, 1.0, 10, 50, unauthentic=1)):
            with self.assertRaises(bench_process.Failed):
                bench_peers.figure((good[0], bad), (good[0], bad), self.load, 10)
        self.assertEqual(bench_peers.figure(good, good, self.load, 10).delivered, 50)

    def test_ratios_are_medians_over_the_rounds_in_which_both_were_measured(self):
        def each(own, other=None):
            figures = {"Millrace": bench_peers.Figure(own)}
            if other is not None:
                figures["other"] = bench_peers.Figure(other)
            return figures

        # The clock rate halves in the second round: the ratio of the medians would be 1.
        result = bench_peers.summary([each(100, 200), each(200, 400), each(400, 600), each(1)])
        self.assertEqual(result["other"][1:], (2, 0.5))
        self.assertEqual((result["Millrace"][0].nanoseconds, result["other"][0].nanoseconds), (100, 400))
        self.assertEqual(bench_peers.exceeded(result, ["other", "absent"], 0.4), ["0.50 times the cost of other", "not compared with absent"])
        self.assertEqual(bench_peers.exceeded(result, ["other"], 0.5), [])

    def test_a_row_in_which_millrace_loses_packets_fails(self):
        def results(share):
            return bench_peers.summary([{"Millrace": bench_peers.Figure(100, 1000, 2.0, 0.5, 0, 1.5, share), "other": bench_peers.Figure(100, lost=0.5)}])

        self.assertEqual(bench_peers.losses(results(0.004)), [])
        self.assertEqual(bench_peers.losses(results(0.3)), ["Millrace lost 30.0 % of the packets"])
        self.assertEqual(bench_peers.losses({}), [])

    def test_a_line_has_a_column_for_each_title(self):
        figure = bench_peers.Figure(123.4, 1000, 2.0, 0.5, 7, 1.5, 0.25)
        results = bench_peers.summary([{"Millrace": figure, "C best": bench_peers.Figure(61.7)}])
        lines = list(bench_peers.lines("loopback", True, self.load, 50, results))
        self.assertEqual(lines[0].split(), "loopback yes 2 Opus 50 Millrace 123 1.00 500 25.00 50.0 7 1.5".split())
        self.assertEqual(len(lines[0]), len(bench_peers.HEADER))
        self.assertEqual(lines[1].split()[-2:], ["62", "0.50"])


class ArgumentTests(unittest.TestCase):
    def peers(self, *given):
        return quiet(bench_peers.arguments_of, ["--relay", "/bin/true", "--bench", "/bin/true", *given])

    def test_wrong_usage_of_peers_ends_with_2(self):
        entry = f"a,{WHIP},{WHEP},1"
        for given in (["--subscribers", "0"], ["--subscribers", "1,x"], ["--loads", "x"], ["--halves", "receive"], ["--opus-publishers", "13"],
                      ["--rounds", "0"], ["--seconds", "0"], ["--base", "29990"], ["--max-ratio", "1"], ["--peer", "a"], ["--start", "a=x"],
                      ["--peer", entry, "--start", "a=x"], ["--peer", entry, "--peer", entry], ["--relay", "/dev/null"]):
            self.assertEqual(self.peers(*given)[0], 2, given)
        self.assertIsNone(self.peers("--peer", entry, "--max-ratio", "1.2")[0])

    def test_wrong_usage_of_million_ends_with_2(self):
        def million(*given):
            return quiet(bench_million.arguments_of, ["--bench", "/bin/true", *given])[0]

        for given in (["--publishers", "0"], ["--publishers", "61"], ["--every", "1"], ["--every", "0"], ["--base", "80"], ["--seconds", "0"],
                      ["--subscribers", "1"], ["--subscribers", "60000"], ["--base", "64000"]):
            self.assertEqual(million(*given), 2, given)
        self.assertIsNone(million())

    def test_the_script_refuses_an_unknown_benchmark(self):
        done = subprocess.run([ROOT / "tools/bench", "peer"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("peers, million", done.stderr)


class ProcessTests(unittest.TestCase):
    @staticmethod
    def runs(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    def test_cpu_time_is_that_of_threads_and_children(self):
        # A shell that waits for a child, which uses CPU time.
        code = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\nprint(flush=True); time.sleep(60)"
        process = bench_process.started(["sh", "-c", f"{sys.executable} -c '{code}'; :"], stdout=subprocess.PIPE)
        try:
            before = bench_process.cpu([process.pid])
            process.stdout.readline()
            after = bench_process.cpu([process.pid])
            self.assertEqual(len(bench_process.family([process.pid])), 2)
            self.assertGreater(sum(after[0].values()), 250_000_000)
            self.assertLess(bench_process.spent(before, after), 5_000_000_000)
        finally:
            for pid in reversed(bench_process.family([process.pid])):
                os.kill(pid, 9)
            process.wait()
            process.stdout.close()

    def test_time_of_ended_threads_is_counted_by_ticks(self):
        before = ({(1, 1): 100_000_000, (1, 2): 900_000_000}, {1: 100})
        running = ({(1, 1): 300_000_000, (1, 2): 900_000_000}, {1: 120})
        self.assertEqual(bench_process.spent(before, running, 10_000_000), 200_000_000)
        # The second thread has used 500 ms more and ended.
        self.assertEqual(bench_process.spent(before, ({(1, 1): 300_000_000}, {1: 170}), 10_000_000), 700_000_000)
        # A thread and a process that began in between.
        began = ({(1, 1): 100_000_000, (1, 2): 900_000_000, (2, 2): 50_000_000}, {1: 100, 2: 5})
        self.assertEqual(bench_process.spent(before, began, 10_000_000), 50_000_000)

    def test_children_end_with_the_program(self):
        code = (f"import sys; sys.path[:0] = [{str(ROOT / 'tools')!r}]\nimport bench_process, os\n"
                "print(bench_process.started(['sleep', '60']).pid, flush=True)\nos.kill(os.getpid(), 9)")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        pid = int(done.stdout)
        for _ in range(200):
            if not self.runs(pid):
                break
            time.sleep(0.02)
        self.assertFalse(self.runs(pid))

    def test_a_stopped_process_leaves_no_other_behind(self):
        process = bench_process.started(["bash", "-c", "set -m; sleep 60 & echo $!; wait"], stdout=subprocess.PIPE)
        child = int(process.stdout.readline())
        bench_process.stopped(process)
        for _ in range(200):
            if not self.runs(child):
                break
            time.sleep(0.02)
        self.assertFalse(self.runs(child))

    def test_the_device_of_a_route_is_found(self):
        text = "10.0.0.1 dev relay src 10.0.0.2 uid 0 \\    cache \n"
        self.assertEqual(bench_network.route_device(text), "relay")
        self.assertEqual(bench_network.route_device("10.9.9.9 via 10.0.0.1 dev eth0 src 10.0.0.2 uid 0"), "eth0")

    def test_datagrams_to_loopback_leave_from_loopback(self):
        self.assertEqual(bench_network.own_address("127.0.0.1"), "127.0.0.1")


class JanusTests(unittest.TestCase):
    offer = "\r\n".join((
        "v=0", "o=- 1 1 IN IP4 10.0.0.2", "a=group:BUNDLE a", "a=ice-lite", "m=video 9 UDP/TLS/RTP/SAVPF 96 97", "a=sendonly", "a=mid:a", "a=ice-ufrag:jan",
        "a=ice-pwd:janus", "a=fingerprint:sha-256 AA", "a=setup:actpass", "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack", "a=rtcp-fb:96 goog-remb",
        "a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid", "a=extmap:2 urn:other", "a=ssrc:1 cname:janus", "a=msid:janus x",
        "a=candidate:1 1 udp 9 10.0.0.2 5000 typ host", "a=end-of-candidates", ""))
    client = "\r\n".join((
        "v=0", "m=video 9 UDP/TLS/RTP/SAVPF 96 97", "a=candidate:1 1 udp 5 10.0.0.1 6000 typ host", "a=ice-ufrag:own", "a=ice-pwd:password",
        "a=fingerprint:sha-256 BB", "a=setup:actpass", "a=mid:0", "a=recvonly", "a=rtcp-fb:96 nack", "a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid", ""))

    def test_the_client_gets_janus_description_in_the_passive_role_with_its_own_mid(self):
        answer = bench_janus.answer_to_client(self.offer, self.client)
        self.assertEqual(answer, self.offer.replace("actpass", "passive").replace("mid:a", "mid:0").replace("BUNDLE a", "BUNDLE 0"))

    def test_janus_gets_the_description_of_the_client(self):
        answer = bench_janus.answer_to_janus(self.offer, self.client)
        self.assertTrue(answer.endswith("\r\n"))
        lines = answer.split("\r\n")
        for line in ("a=ice-ufrag:own", "a=ice-pwd:password", "a=fingerprint:sha-256 BB", "a=setup:active", "a=mid:a", "a=recvonly", "a=rtcp-fb:96 nack",
                     "a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid", "a=candidate:1 1 udp 5 10.0.0.1 6000 typ host", "a=rtpmap:96 VP8/90000"):
            self.assertIn(line, lines)
        for text in ("janus", "urn:other", "goog-remb", "ice-lite", "sendonly", "actpass", "10.0.0.2 5000", "a=ssrc"):
            self.assertNotIn(text, answer)

    def test_janus_is_a_peer_that_the_command_starts(self):
        found = bench_peers.arguments_of(["--relay", "/bin/true", "--bench", "/bin/true", "--janus", "--loopback-address", "192.0.2.9"])
        (peer,) = found.peers
        self.assertTrue(peer.takes_streams and peer.command.endswith(" --port " + peer.at("h").whip.split(":")[2].split("/")[0]))
        self.assertEqual(found.loopback_address, "192.0.2.9")


class MillionTests(unittest.TestCase):
    def test_the_search_ends_near_80_percent(self):
        def search(share, first, most=60):
            rows, publishers = [], first
            while publishers and len(rows) < bench_million.MEASUREMENTS:
                rows.append((publishers, share(publishers)))
                publishers = bench_million.next_publishers(rows, most)
            return rows

        for slope in (0.021, 0.034, 0.06, 0.079, 0.1, 0.16):
            rows = search(lambda count, slope=slope: min(1, count * slope), 10)
            self.assertTrue(0.75 <= rows[-1][1] <= 0.85, (slope, rows))
        # A cost for each packet that falls with their number.
        rows = search(lambda count: min(1, 0.2 + 0.02 * count), 10)
        self.assertTrue(0.75 <= rows[-1][1] <= 0.85, rows)
        # No number of publishers uses 80 %: the search ends, and every number is measured once.
        for slope, most in ((0.5, 60), (0.001, 12)):
            rows = search(lambda count, slope=slope: min(1, count * slope), 10, most)
            self.assertEqual(len({count for count, _ in rows}), len(rows))
            self.assertLess(len(rows), bench_million.MEASUREMENTS)

    def test_the_rate_at_80_percent(self):
        rate = bench_million.rate_at_target
        self.assertEqual(rate([(0.9, 1_100_000), (0.7, 900_000), (1.0, 1_150_000)]), (1_000_000, "interpolated"))
        self.assertEqual(rate([(0.4, 500_000)]), (1_000_000, "extrapolated"))
        value, kind = rate([(1.0, 1_500_000), (0.84, 1_050_000)])
        self.assertEqual((round(value), kind), (1_000_000, "measured"))

    def test_a_worker_that_waits_for_its_core_or_loses_packets_is_busy(self):
        def row(worker, waiting, forwarded=1000):
            return {"workerShare": worker, "waitingShare": waiting, "expected": 1000, "forwarded": forwarded}

        self.assertAlmostEqual(bench_million.busy(row(0.6, 0)), 0.6)
        self.assertAlmostEqual(bench_million.busy(row(0.6, 0.25)), 0.8)
        self.assertEqual(bench_million.busy(row(0.8, 0.21)), 1)
        self.assertEqual(bench_million.busy(row(0.6, 0, 900)), 1)
        self.assertAlmostEqual(bench_million.busy(row(0.6, 0, 999)), 0.6)

    def test_a_line_has_a_column_for_each_title(self):
        row = {"publishers": 10, "subscribers": 3000, "packetsPerSecond": 1e6, "workerShare": 0.6, "waitingShare": 0.25, "expected": 1000,
               "forwarded": 999, "nanosecondsPerPacket": 700, "packetsPerSend": 2.5, "delayP50Milliseconds": 1, "delayP99Milliseconds": 9.5,
               "verification": {"verified": 5, "failures": 0, "missing": 1}}
        text = bench_million.line(row)
        self.assertEqual(text.split(), "10 3000 1000000 80.0 60.0 25.0 700 2.5 1.0 9.5 0.10 5 0 1".split())
        self.assertEqual(len(text), len(bench_million.HEADER))

    def test_ports_of_unchecked_subscribers_follow_those_of_the_others(self):
        self.assertEqual(bench_million.ports(20_000, 3000, 100), (20_030, 22_999))
        self.assertEqual(bench_million.ports(20_000, 3001, 100), (20_031, 23_000))

    def test_a_refused_packet_an_absent_stream_and_no_packet_are_faults(self):
        def row(**checked):
            verification = {"verified": 5, "failures": 0, "reasons": {}, "streams": 30, "dropped": 0, **checked}
            return {"publishers": 10, "checkedSubscribers": 3, "verification": verification, "dropped": 995,
                    "forwarded": 995 + sum(verification[name] for name in ("verified", "failures", "dropped"))}

        self.assertEqual(bench_million.faults(row()), [])
        self.assertEqual(bench_million.faults({**row(), "forwarded": 2000}),
                         ["the relay counted 2000 forwarded packets, and 1000 arrived or were dropped at the device"])
        self.assertIn("2 x replay", bench_million.faults(row(failures=2, reasons={"replay": 2}))[0])
        self.assertEqual(bench_million.faults(row(verified=0, streams=0)), ["no packet was checked"])
        self.assertEqual(len(bench_million.faults(row(streams=29))), 1)


if __name__ == "__main__":
    unittest.main()
