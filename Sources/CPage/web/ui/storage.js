// Local storage of the page. If the browser forbids it, nothing is stored.

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
    // Storage is forbidden or full.
  }
}
