import MediaBase
import Testing

@Suite("Socket address")
struct SocketAddressTests {
    @Test(
        "a text is converted to octets and back",
        arguments: [
            ("127.0.0.1", [UInt8](arrayLiteral: 127, 0, 0, 1)), ("0.0.0.0", [0, 0, 0, 0]),
            ("255.255.255.255", [255, 255, 255, 255]),
            ("::", [UInt8](repeating: 0, count: 16)), ("::1", [UInt8](repeating: 0, count: 15) + [1]),
            ("1::", [0, 1] + [UInt8](repeating: 0, count: 14)),
            ("2001:db8::1:0:0:1", [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]),
            ("fe80::1:2:3:4", [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4]),
            ("1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]),
        ])
    func roundTrip(_ text: String, _ octets: [UInt8]) throws {
        let address = try #require(SocketAddress(text, port: 5004))
        #expect(address.octets == octets && address.host == text && address.port == 5004)
        #expect(address.isIPv6 == (octets.count == 16))
        #expect(address == SocketAddress(octets: octets, port: 5004))
        #expect(address.description == (octets.count == 16 ? "[\(text)]:5004" : "\(text):5004"))
    }

    @Test(
        "other spellings are parsed and written in the form of RFC 5952",
        arguments: [
            ("2001:0DB8:0:0:0:0:0:1", "2001:db8::1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
            ("1:0:0:2:0:0:3:4", "1::2:0:0:3:4"),
            ("0:0:0:0:0:0:0:0", "::"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
            ("::ffff:192.0.2.128", "::ffff:c000:280"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
            ("1:2:3:4:5:6:127.0.0.1", "1:2:3:4:5:6:7f00:1"),
        ])
    func canonical(_ text: String, _ written: String) throws {
        #expect(try #require(SocketAddress(text, port: 0)).host == written)
    }

    @Test(
        "texts that are not addresses are refused",
        arguments: [
            "", " ", "localhost", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.-4", "+1.2.3.4", "1.2.3.+4",
            "1.2.3. 4", "1..3.4", "1.2.3.",
            "01.2.3.4", "1.2.3.0004", "0x1.2.3.4", "１.2.3.4", ":", ":::", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
            "1::2::3", "::12345",
            "::g", "::+1", "::-1", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "[::1]", "::1%lo", "fe80::1%1", "::1.2.3",
            "1.2.3.4::",
            "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "::ffff:1.2.3.+4",
        ])
    func refused(_ text: String) {
        #expect(SocketAddress(text, port: 1) == nil)
    }

    @Test("an address from the kernel is read without padding, flow label and scope")
    func kernelBytes() throws {
        var v4: [UInt8] = [2, 0, 0x13, 0x8c, 10, 0, 0, 7] + [UInt8](repeating: 0xee, count: 8)
        let four = try #require(v4.withUnsafeBytes { SocketAddress(kernelBytes: $0) })
        #expect(four == SocketAddress("10.0.0.7", port: 5004))
        var v6: [UInt8] = [10, 0, 0x13, 0x8c] + [9, 9, 9, 9] + [UInt8](repeating: 0, count: 15) + [1] + [7, 0, 0, 0]
        let six = try #require(v6.withUnsafeBytes { SocketAddress(kernelBytes: $0) })
        #expect(six == SocketAddress("::1", port: 5004) && six.hashValue == SocketAddress("::1", port: 5004)?.hashValue)
        #expect(
            six.withKernelBytes { Array($0) } == [10, 0, 0x13, 0x8c, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 15) + [
                1, 0, 0, 0, 0,
            ])
        v4[0] = 10
        v6[0] = 2
        #expect(v4.withUnsafeBytes { SocketAddress(kernelBytes: $0) } == nil)
        #expect(v6.withUnsafeBytes { SocketAddress(kernelBytes: $0) } == nil)
        let long = [UInt8](repeating: 2, count: 40)
        for count in [0, 1, 15, 17, 27, 29, 40] {
            let address = long.withUnsafeBytes {
                SocketAddress(kernelBytes: UnsafeRawBufferPointer(rebasing: $0[0..<count]))
            }
            #expect(address == nil)
        }
    }

    @Test("the port can be changed alone", arguments: [UInt16(0), 1, 255, 256, 65_535])
    func port(_ port: UInt16) throws {
        for text in ["192.0.2.1", "2001:db8::9"] {
            var address = try #require(SocketAddress(text, port: 7))
            address.port = port
            #expect(address.port == port && address.host == text)
            #expect(
                address == SocketAddress(text, port: port) && (port == 7) == (address == SocketAddress(text, port: 7)))
        }
    }

    @Test("an empty address is equal only to an empty address")
    func none() {
        let none = SocketAddress()
        #expect(none.length == 0 && none.octets.isEmpty && none.host == "")
        #expect(none == SocketAddress() && none != SocketAddress("0.0.0.0", port: 0))
        for count in [0, 3, 5, 15, 17] {
            #expect(SocketAddress(octets: [UInt8](repeating: 1, count: count), port: 1) == nil)
        }
    }
}
