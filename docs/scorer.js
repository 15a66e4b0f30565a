// Rank titles of pages and sections above names of the API; rank pages of tasks and the API lower.
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
