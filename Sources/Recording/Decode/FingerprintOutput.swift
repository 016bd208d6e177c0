package import Codecs
import Cryptography
import Foundation

/// Prints the MD5 of each frame's planes without row padding, one line per frame, in the format of the VP8 test
/// vectors: `<md5>  <stem>-<width>x<height>-<number>.i420`.
package final class FingerprintOutput: DecodedMediaConsumer {
    private let stem: String
    private let print: (String) -> Void

    package init(stem: String, print: @escaping (String) -> Void) {
        self.stem = stem
        self.print = print
    }

    package func take(_ planes: borrowing I420Planes, _ info: DecodedFrame) throws(DecodeError) {
        var digest = MessageDigest(.md5)
        Self.add(planes.y, planes.yStride, planes.width, planes.height, to: &digest)
        Self.add(planes.u, planes.chromaStride, planes.chromaWidth, planes.chromaHeight, to: &digest)
        Self.add(planes.v, planes.chromaStride, planes.chromaWidth, planes.chromaHeight, to: &digest)
        let number = String(info.number)
        let padded = String(repeating: "0", count: max(0, 4 - number.count)) + number
        print("\(Self.hexadecimal(digest.finish()))  \(stem)-\(planes.width)x\(planes.height)-\(padded).i420")
    }

    private static func add(
        _ plane: UnsafePointer<UInt8>, _ stride: Int, _ width: Int, _ rows: Int, to digest: inout MessageDigest
    ) {
        for row in 0..<rows {
            digest.update(UnsafeRawBufferPointer(start: plane + row * stride, count: width))
        }
    }

    private static func hexadecimal(_ digest: [UInt8]) -> String {
        digest.map { String(format: "%02x", $0) }.joined()
    }
}
