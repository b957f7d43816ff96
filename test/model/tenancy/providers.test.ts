import { PRINCIPAL_PROVIDERS } from '../../../src/model/tenancy/principals';
import { AuthProvider } from '../../../src/rancher';

test('the providers of the library are those that the checks know', () => {
  expect(Object.values(AuthProvider).sort()).toEqual(PRINCIPAL_PROVIDERS.map(({ id }) => id).sort());
});
