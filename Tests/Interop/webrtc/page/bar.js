"use strict";
// The machine-readable bar: three rows of sixteen cells along the upper edge, each a sixteenth of the width and a fifteenth of
// the height, so that it survives scaling. Row 0: frame number. Row 1: milliseconds of the wall clock. Row 2: source id in the
// upper byte, CRC-8 of all other bytes in the lower. The same as in bar.py.

const COLUMNS = 16, ROWS = 3, ROW_SHARE = 15;

function crc8(bytes) {
  let crc = 0xff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = crc & 0x80 ? (crc << 1 ^ 0x07) & 0xff : crc << 1;
  }
  return crc;
}

function barWords(number, milliseconds, source) {
  number &= 0xffff;
  milliseconds &= 0xffff;
  return [number, milliseconds, source << 8 | crc8([number >> 8, number & 255, milliseconds >> 8, milliseconds & 255, source])];
}

// A bit operation drops the upper bits of a number of more than 31 bits, which is correct here: the clock is taken modulo 65,536 first.
const clock16 = () => Date.now() % 65536;

function drawBar(context, width, height, number, source) {
  const words = barWords(number, clock16(), source), cell = width / COLUMNS, row = height / ROW_SHARE;
  context.fillStyle = "black";
  context.fillRect(0, 0, width, row * ROWS);
  context.fillStyle = "white";
  words.forEach((word, y) => {
    for (let x = 0; x < COLUMNS; x++) if (word >> x & 1) context.fillRect(x * cell, y * row, cell, row);
  });
}

class BarReader {
  constructor() {
    this.canvas = new OffscreenCanvas(COLUMNS * 4, ROWS * 4);
    this.context = this.canvas.getContext("2d", {willReadFrequently: true, alpha: false});
  }

  // Returns {number, stamp, source}, or null if the frame is damaged.
  read(image, width, height) {
    this.context.drawImage(image, 0, 0, width, height * ROWS / ROW_SHARE, 0, 0, COLUMNS * 4, ROWS * 4);
    const data = this.context.getImageData(0, 0, COLUMNS * 4, ROWS * 4).data;
    const words = [];
    for (let y = 0; y < ROWS; y++) {
      let word = 0;
      for (let x = 0; x < COLUMNS; x++) {
        let sum = 0;
        for (const dy of [1, 2]) for (const dx of [1, 2]) sum += data[((y * 4 + dy) * COLUMNS * 4 + x * 4 + dx) * 4 + 1];
        if (sum > 4 * 128) word |= 1 << x;
      }
      words.push(word);
    }
    const [number, stamp, last] = words, source = last >> 8;
    return barWords(number, stamp, source)[2] === last ? {number, stamp, source} : null;
  }
}
