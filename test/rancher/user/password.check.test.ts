import { problemText } from '../../../src/core/problem/problem';
import {
  checkPassword,
  checkPasswordHash,
  formatPasswordHash,
  hashPassword,
  parsePasswordHash,
} from '../../../src/rancher/user/password.check';

const SALT = Buffer.alloc(32, 7);
const LINE =
  'pbkdf2sha3512:BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=:nZ2MJXEZnKNZ5Mrg98NfbYMRhRZ6uWAIhSSNp0LVMrw=';

test('a hash is PBKDF2 with SHA3-512, 210,000 times, 32 bytes', () => {
  expect(formatPasswordHash(hashPassword('correct horse battery', SALT))).toBe(LINE);
});

// by Python: hashlib.pbkdf2_hmac('sha3_512', password.encode(), salt, 210000, 32)
test.each([
  ['correct horse battery', SALT, 'nZ2MJXEZnKNZ5Mrg98NfbYMRhRZ6uWAIhSSNp0LVMrw='],
  [
    'Grüße, 日本 🐎',
    Buffer.from(Array.from({ length: 32 }, (_, index) => index)),
    'E1FhMOtoZrjxTfCnrKUdo4JWVr2rOlNHcylHjJYIY+Y=',
  ],
])('the hash of %j is what another implementation makes', (password, salt, hash) => {
  expect(hashPassword(password, salt).hash).toBe(hash);
});

test('another salt is another hash', () => {
  expect(hashPassword('correct horse battery', Buffer.alloc(32, 8)).hash).not.toBe(
    hashPassword('correct horse battery', SALT).hash,
  );
});

test('a line is read back', () => {
  expect(formatPasswordHash(parsePasswordHash(LINE)!)).toBe(LINE);
  expect(checkPasswordHash('password', LINE)).toEqual([]);
});

test.each([
  '',
  'hunter2hunter2',
  'pbkdf2sha3512:a:b',
  `${LINE}:x`,
  `pbkdf2sha3512:${SALT.toString('base64')}`,
  LINE.replace('sha3512', 'sha256'),
])('%j is refused and not shown', (text) => {
  const [problem] = checkPasswordHash('password', text);
  expect(problemText(problem)).toContain('cdk8s-harvester hash-password');
  if (text.length > 20) {
    expect(problemText(problem)).not.toContain(text);
  }
});

test('explains why a plain password is refused', () => {
  expect(checkPasswordHash('password', 'hunter2hunter2')[0].message).toContain(
    'locks the user out',
  );
  expect(checkPasswordHash('password', 'hunter2hunter2')[0].value).toBeUndefined();
});

test('refuses a password that is too short, or the name of the user', () => {
  expect(checkPassword('password', 'elevenchars')[0]).toMatchObject({
    message: 'must have at least 12 characters',
  });
  expect(checkPassword('password', 'twelve chars')).toEqual([]);
  expect(checkPassword('password', '🐎'.repeat(11))).toHaveLength(1);
  expect(checkPassword('password', 'anaanaanaana', 'anaanaanaana')).toHaveLength(1);
  expect(checkPassword('password', 'short', undefined, 4)).toEqual([]);
});
