// Titles of pages and sections first: a word that heads a section says more than a name of the API that holds it.
// The pages of the tasks and the API repeat what other pages explain.
var Scorer = {
  score: ([page, , , , score]) => score - (page.startsWith("tasks/") ? 50 : page === "api" ? 20 : 0),
  objNameMatch: 11,
  objPartialMatch: 4,
  objPrio: {0: 4, 1: 0, 2: -5},
  objPrioDefault: 0,
  title: 30,
  partialTitle: 10,
  term: 5,
  partialTerm: 2,
};
