import { componentOf, isFieldPath, isObjectName, paths } from './wire';

test('names that can stand in a query or a path', () => {
  for (const name of ['Contact', 'My_Object__c', 'ns__Thing__c']) expect(isObjectName(name)).toBe(true);
  for (const name of ['', '1a', 'a.b', 'a b', 'Contact/003', 'Contact--', 'é', `a${'b'.repeat(80)}`]) {
    expect(isObjectName(name)).toBe(false);
  }
  for (const name of ['Email', 'Account.Owner.Name', 'a.b.c.d.e']) expect(isFieldPath(name)).toBe(true);
  for (const name of ['Id FROM User--', 'a.b.c.d.e.f', 'a..b', '.a', 'a.', "Name = '' OR Name", 'Name\n', '*']) {
    expect(isFieldPath(name)).toBe(false);
  }
});

test('a path has its segments and no more', () => {
  expect(paths.object('Contact', '../batch')).toBe('/services/data/v66.0/sobjects/Contact/..%2Fbatch');
});

// Source: Salesforce, "Address Compound Fields": the components are the same data, and alone can be written and filtered.
it.each([
  ["$['BillingAddress']['city']", 'BillingCity'],
  ["$['mailingaddress']['PostalCode']", 'mailingPostalCode'],
  ["$['Address']['stateCode']", 'StateCode'],
  ["$['OtherAddress']['geocodeAccuracy']", 'OtherGeocodeAccuracy'],
  ["$['Home__c']['street']", 'Home__Street__s'],
  ["$['Spot__c']['latitude']", 'Spot__Latitude__s'],
  ["$['Name']['FirstName']", 'FirstName'],
  ["$['Account']['Name']", 'Account.Name'],
  ["$['Account']['BillingAddress']['country']", 'Account.BillingCountry'],
  ["$['Parent__r']['City__c']", 'Parent__r.City__c'],
  ["$['Email']", 'Email'],
  ["$['a b']['c']", undefined],
  ["$['attributes']['type']", undefined],
])('%s is %s', (name, field) => {
  expect(componentOf(name)).toBe(field);
});
