import { registered } from '../../../src/core/registry/registered';

test('names what is missing when nothing is registered', () => {
  expect(registered('kinds')).toThrow(
    'the kinds of the products are not registered. Fix: import src/registry/register.ts first',
  );
});

test('loads what is registered once, when it is first used', () => {
  const load = jest.fn(() => ['Setting']);
  const kinds = registered<readonly string[]>('kinds');
  kinds.register(load);
  expect(load).not.toHaveBeenCalled();
  expect([kinds(), kinds()]).toEqual([['Setting'], ['Setting']]);
  expect(load).toHaveBeenCalledTimes(1);
});
