// What the browser remembers for the page. Storage may be forbidden; then nothing is remembered.

export function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function store(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // as above
  }
}
