import { writeFileSync } from 'fs';
import { join } from 'path';
import { readConfigFile } from '../../../src/engine/auth/config-file';
import { readTakeOver, takeOverText } from '../../../src/engine/auth/take-over';
import { isAdopted } from '../../../src/engine/fields/managed-fields';
import { tempFolder } from '../../support/temp';

const ID = 'rancher/management.cattle.io/Project/c-1/p-1';
const TEXT = takeOverText([{ id: ID, uid: 'u-1', because: 'access has: ana' }]);

test('adopts what the file lists, as long as it has its UID', () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'take-over.yaml'), TEXT);
  writeFileSync(join(folder, 'cdk8s-harvester.yaml'), 'takeOver: take-over.yaml\n');
  const { takeOver: adopt } = readConfigFile(undefined, folder);
  expect(isAdopted({ acceptExisting: adopt }, ID, 'u-1')).toBe(true);
  expect(isAdopted({ acceptExisting: adopt }, ID, 'u-2')).toBe(false);
  expect(isAdopted({ acceptExisting: adopt }, ID)).toBe(false);
  expect(isAdopted({ acceptExisting: [ID] }, ID, 'u-2')).toBe(true);
});

test('refuses a file that is missing, or lists no UIDs', () => {
  const folder = tempFolder();
  const file = join(folder, 'take-over.yaml');
  expect(() => readTakeOver(file)).toThrow(`takeOver: ${file} cannot be read`);
  writeFileSync(file, `adopt: [{ id: ${ID} }]\n`);
  expect(() => readTakeOver(file)).toThrow(`adopt[0] in ${file} must have an id and a uid`);
});
