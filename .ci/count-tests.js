// Adds up jest-junit reports and prints `<passed> <failed>`; a report that was not written counts
// nothing.
'use strict';

const fs = require('node:fs');

let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2).filter((name) => fs.existsSync(name))) {
  // the element of each test file; the one around them all is called testsuites
  for (const [suite] of fs.readFileSync(file, 'utf8').matchAll(/<testsuite [^>]*>/g)) {
    const count = (name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(suite)?.[1] ?? 0);
    failed += count('failures') + count('errors');
    passed += count('tests') - count('failures') - count('errors') - count('skipped');
  }
}
console.log(passed, failed);
